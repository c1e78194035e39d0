# The server over HTTP: docs/deploy.md explains it.
#   docker build --build-arg DEPS="numpy pandas" --tag mcp-run-python .

FROM node:24-bookworm-slim AS build
ARG DENO_VERSION=2.9.6
RUN npm install --prefix /opt "deno@$DENO_VERSION" \
  && mv /opt/node_modules/@deno/linux-*-glibc/deno /usr/local/bin/deno
WORKDIR /build
COPY cli.ts deno.json deno.lock LICENSE ./
COPY deps deps
COPY src src
ARG DEPS=""
RUN MCP_RUN_PYTHON_DEPS="$DEPS" deno run -A cli.ts bundle /opt/mcp-run-python

# A base with a shell: sh sets the kernel's limit of a sandbox's memory. Nothing
# here belongs to the user, or is written at run time.
FROM debian:bookworm-slim
COPY --from=build /opt/mcp-run-python /opt/mcp-run-python
COPY deploy/healthy.ts /opt/mcp-run-python/
ENV DENO_DIR=/opt/mcp-run-python/deno-dir \
  DENO_NO_UPDATE_CHECK=1 \
  MCP_RUN_PYTHON_HOST=0.0.0.0
USER 65534:65534
EXPOSE 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["/opt/mcp-run-python/deno", "run", "--no-config", "--allow-net=127.0.0.1", "--allow-env=MCP_RUN_PYTHON_PORT", "/opt/mcp-run-python/healthy.ts"]
ENTRYPOINT ["/opt/mcp-run-python/mcp-run-python"]
CMD ["streamable-http"]
