// Browsers refuse a Worker to pages that were opened from disk. There the search runs in a hidden
// frame instead: it loads the worker's script and answers messages as a worker would.
if (location.protocol === "file:") {
  window.Worker = class FrameWorker extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      // What the script answers goes to this page; importScripts becomes script elements in turn.
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      inside.importScripts = (...sources) =>
        sources.reduce(
          (before, source) => before.then(() => loaded(inside.document, source)),
          Promise.resolve(),
        );
      this.inside = inside;
      this.ready = loaded(inside.document, new URL(address, location.href).href);
    }

    postMessage(data) {
      this.ready.then(() =>
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })),
      );
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };

  function loaded(page, source) {
    return new Promise((resolve, reject) => {
      const script = page.createElement("script");
      script.src = source;
      script.onload = resolve;
      script.onerror = reject;
      page.body.append(script);
    });
  }
}
