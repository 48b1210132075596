# One image for all roles: `docker run parley operator` is `parley operator`.
# Any image with Node >= 24 (and, in the build stage, npm) can be the base.
ARG BASE_IMAGE=node:24-bookworm-slim

# What builds: the dashboard and the widget take Vite, and that its binaries for this platform. None of it is in the image.
FROM ${BASE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The packages of the dashboard are development dependencies of this workspace.
COPY packages/dashboard/package.json packages/dashboard/
# Without scripts: no package may run code here either.
RUN npm ci --ignore-scripts
COPY bin/build.mjs bin/build-dashboard.mjs bin/build-widget.mjs bin/compress-built.mjs bin/sbom.mjs bin/strip-sources.mjs bin/
COPY tsconfig.json ./
COPY packages packages
COPY src src
RUN node --disable-warning=ExperimentalWarning bin/build.mjs dist --no-optional \
  && printf '#!/bin/sh\nexec node /app/dist/main.js "$@"\n' >parley && chmod 755 parley

FROM ${BASE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without optional packages: they are the embedded PostgreSQL and Node of `parley start`, which a pod
# has no use for.
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) -delete

FROM ${BASE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="parley" \
  org.opencontainers.image.description="Conversational agents on Kubernetes: versions you can roll back, events you cannot lose." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# The flags are those of bin/heap-flags.json (a test compares them); the chart sets others, which
# follow the memory limit of the container.
ENV NODE_ENV=production \
  NODE_OPTIONS="--max-semi-space-size=8 --max-old-space-size=512"
WORKDIR /app
# For `kubectl exec`: parley keys create …
COPY --from=build /app/parley /usr/local/bin/parley
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY crds ./crds
COPY migrations ./migrations
COPY --from=build /app/dist ./dist
# A number, so that the kubelet can see that it is not root. Nothing below /app is writable for it
# and nothing needs to be: the root file system may be read-only.
USER 65532:65532
EXPOSE 8080 9090
# Not through a shell: node is the first process and gets the signals.
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["--help"]
