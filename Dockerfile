# The server over HTTP: docs/deploy.md explains it.
#   docker build --build-arg DEPS="numpy pandas" --tag mcp-run-python .

FROM node:24-bookworm-slim AS deno
ARG DENO_VERSION=2.9.6
RUN npm install --prefix /opt "deno@$DENO_VERSION" \
  && mv /opt/node_modules/@deno/linux-*-glibc/deno /usr/local/bin/deno

# A base with a shell: sh sets the kernel's limit of a sandbox's memory.
FROM debian:bookworm-slim AS base
COPY --from=deno /usr/local/bin/deno /usr/local/bin/deno
ARG DEPS=""
ENV DENO_DIR=/opt/mcp-run-python/.deno \
  DENO_NO_UPDATE_CHECK=1 \
  MCP_RUN_PYTHON_CACHE=/opt/mcp-run-python/.cache \
  MCP_RUN_PYTHON_DEPS="$DEPS" \
  MCP_RUN_PYTHON_HOST=0.0.0.0
WORKDIR /opt/mcp-run-python

FROM base AS build
COPY cli.ts deno.json deno.lock LICENSE ./
COPY deps deps
COPY src src
COPY deploy/healthy.ts deploy/
RUN deno run -A cli.ts install

# Nothing here belongs to the user, or is written at run time.
FROM base
COPY --from=build /opt/mcp-run-python ./
USER 65534:65534
EXPOSE 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["deno", "run", "--cached-only", "--allow-net=127.0.0.1", "--allow-env=MCP_RUN_PYTHON_PORT", "/opt/mcp-run-python/deploy/healthy.ts"]
ENTRYPOINT ["deno", "run", "-A", "--cached-only", "/opt/mcp-run-python/cli.ts"]
CMD ["streamable-http"]
