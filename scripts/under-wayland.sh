#!/usr/bin/env bash
# Runs a command under a Wayland compositor that has no screen, and without X11: `scripts/under-wayland.sh npm run test:app`.
set -euo pipefail
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR XDG_SESSION_TYPE=wayland WAYLAND_DISPLAY=dailies
unset DISPLAY
weston --backend=headless-backend.so --width=2048 --height=1152 --idle-time=0 --socket="$WAYLAND_DISPLAY" &
compositor=$!
trap 'kill "$compositor"' EXIT
until [ -S "$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY" ]; do
  kill -0 "$compositor"
  sleep 0.1
done
"$@"
