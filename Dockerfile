# syntax=docker/dockerfile:1
# Built from the sources. The image runs as a user of its own, keeps memory in /data and listens on 8787.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/docs/package.json ./scripts/docs/package.json
# Not `npm ci`: the lockfile was made where only one platform's binaries of the linters were to be had, and `ci` refuses it.
RUN npm install --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY scripts ./scripts
COPY src ./src
COPY web ./web
COPY docs ./docs
COPY clients/python/README.md ./clients/python/README.md
COPY CONTRIBUTING.md SECURITY.md ./
COPY train/embedder/memory-lora.safetensors ./train/embedder/memory-lora.safetensors
COPY train/reader/reader-lora.safetensors ./train/reader/reader-lora.safetensors
COPY train/lexicons ./train/lexicons
COPY examples ./examples
COPY train/lives/FORMAT.md ./train/lives/FORMAT.md
COPY train/ranking/report.md ./train/ranking/report.md
COPY deploy ./deploy
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production VARVE_DATA=/data HOST=0.0.0.0 PORT=8787
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/weights ./weights
RUN mkdir /data && chown node:node /data && ln -s /app/dist/cli/main.js /usr/local/bin/varve && chmod +x /app/dist/cli/main.js
USER node
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Young objects get 16 MB: with more a busy server keeps 150 MB of garbage around.
ENTRYPOINT ["node", "--max-semi-space-size=16", "/app/dist/cli/main.js"]
CMD ["serve"]
