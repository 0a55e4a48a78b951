# The main job in a container: docker build -t mantissa . && docker run --rm mantissa --help
# Everything that it needs, quickstart.sh installs.
FROM debian:12
COPY . /mantissa
WORKDIR /mantissa
RUN ./quickstart.sh
ENTRYPOINT ["/mantissa/build/bin/mantissa"]
