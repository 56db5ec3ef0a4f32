/** Processor time of this thread in its longest turn: the machine may be busy. */
export function watchTurns(): { stop: () => { longestMs: number } } {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1000);
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { longestMs };
    },
  };
}
