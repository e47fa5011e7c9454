# docker build -t ldp-auditor . && docker run --network none ldp-auditor
# The demo runs while the image is built, which installs the package and keeps its compiled kernels.
FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /ldp-auditor
COPY . .
RUN make demo
ENV PATH="/ldp-auditor/.venv/bin:$PATH"
CMD ["make", "demo"]
