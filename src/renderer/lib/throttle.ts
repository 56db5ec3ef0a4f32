/** Runs `run` at once, never twice at a time, at most every `ms`; calls in between make one run. It must not throw. */
export function atMostEvery(ms: number, run: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;

  async function runWhileWanted(): Promise<void> {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await run();
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
    isRunning = false;
  }

  return () => {
    isWanted = true;
    if (!isRunning) void runWhileWanted();
  };
}
