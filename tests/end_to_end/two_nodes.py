"""A Ray cluster of two nodes with a core each on this machine, in a process of its own.

python two_nodes.py: prints the address; the word "remove" on standard input takes the second node
away as a power cut would, "add" brings one; at the end of the input the cluster is ended.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 10**8}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    second = {"num_cpus": 1, "object_store_memory": 10**8}
    nodes = [cluster.add_node(**second)]
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "remove":
            cluster.remove_node(nodes.pop(), allow_graceful=False)
        else:
            nodes.append(cluster.add_node(**second))
        print("done", flush=True)
    cluster.shutdown()
