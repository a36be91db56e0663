# The program alone: `docker build -t flitsim .`, then
# `docker run --rm -v "$PWD:/data" flitsim sweep mine.toml`.
FROM rust:1-slim AS build
WORKDIR /flitsim
COPY . .
RUN cargo install --path . --locked --root /usr/local

FROM debian:stable-slim
COPY --from=build /usr/local/bin/flitsim /usr/local/bin/flitsim
WORKDIR /data
ENTRYPOINT ["flitsim"]
