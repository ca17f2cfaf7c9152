# One image for every role: `node --require ./scripts/typescript.cjs src/main.ts --role api|worker|migrate`.
# Debian rather than Alpine: Temporal's native core is built against glibc.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings the Node that the lock pins for machines without it.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node

# What is built ahead, so that a process starts at once and the image has no package for building: compiled sources, the
# workflow bundle, and the reader of the document.
FROM packages AS built
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_PORT=9464
WORKDIR /app
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=built /app/dist ./dist
# A named volume inherits the owner of this folder.
RUN mkdir -p /var/lib/cardwright/documents /var/lib/cardwright/signer /var/lib/cardwright/worker && chown node:node /var/lib/cardwright/*
USER node
EXPOSE 8080 9464
CMD ["node", "--require", "./scripts/typescript.cjs", "src/main.ts", "--role", "api"]
