/** Loaded into a server before its own program: tells on request what memory its process holds, bytes. */
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
// Being asked is no reason to stay.
process.channel?.unref();
