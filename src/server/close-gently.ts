import type { Server } from 'node:http';

/** Answers under way may come to their end in this time, ms. */
const GRACE_MS = 1000;
const SWEEP_MS = 20;

/** Takes no more requests, and closes every connection: idle ones at once, the others after their answer or soon. */
export async function closeGently(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that was busy a moment ago is idle now, and stays open unless it is looked at again.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const patience = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(patience);
}
