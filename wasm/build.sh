#!/bin/sh
# Build DDS 2.9.0 as WebAssembly: wasm/build.sh FOLDER. Needs Debian's emscripten and node-acorn; the source
# comes from Debian (apt-get source, which needs a deb-src line) unless build/wasm has it.
set -eu
target=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$here/../build/wasm
archive=dds_2.9.0.orig.tar.gz
mkdir -p "$work" && cd "$work"
command -v em++ >/dev/null || { echo "em++ is missing: apt-get install emscripten node-acorn" >&2; exit 2; }
[ -f $archive ] || apt-get source --download-only dds=2.9.0-9 || true
[ -f $archive ] || { echo "put Debian's $archive into $work, or add a deb-src line to apt's sources" >&2; exit 2; }
echo "9ef36d8c36bf697ba3b499fcb9dca51a4b423278ac72e947235ac86f0b5fc38a  $archive" | sha256sum --check --quiet
rm -rf dds-2.9.0 && tar xf $archive
# No free memory is detected here, and then no thread is made: give a figure, in kilobytes.
sed -i 's/kilobytesFree = 0;/kilobytesFree = 1048576;/' dds-2.9.0/src/System.cpp
NODE_PATH=/usr/share/nodejs em++ -O3 -std=c++11 -fno-exceptions -fno-rtti -w \
  -include cstdio -include cstring -include cstdlib -Idds-2.9.0/include \
  dds-2.9.0/src/*.cpp "$here/dds.cpp" -o "$target/dds.wasm" --no-entry \
  -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=512MB -sMALLOC=emmalloc
cp dds-2.9.0/LICENSE "$target/LICENSE-DDS"
ls -l "$target"
