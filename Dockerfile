# One image for the api, the worker, the migrate job and the sandbox; docker-compose.yml says which one runs.
# Debian, not Alpine: Temporal's native core has no musl build.
ARG NODE_IMAGE=node:24.22.3-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run bundle

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# without the Node that npm brings to machines with an older one: the image has its own
RUN npm ci --omit=dev --no-audit --no-fund && rm -r node_modules/node-linux-* node_modules/.bin/node

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY schemas schemas
COPY db/seed db/seed
COPY docs/reference/rules.md docs/reference/rules.md
COPY docs/operations/alerts.md docs/operations/alerts.md
COPY --from=build /app/dist dist
# For operators: `isthmus ops list` in the api's container (docs/operations/on-duty.md).
RUN printf '#!/bin/sh\nexec node /app/dist/ops.js "$@"\n' > /usr/local/bin/isthmus && chmod 755 /usr/local/bin/isthmus
USER node
# The processes shut down cleanly on SIGTERM.
STOPSIGNAL SIGTERM
CMD ["node", "--enable-source-maps", "dist/api.js"]
