const DAY_MS = 86_400_000;

/**
 * A time zone of the system. A wall-clock time is given as the UTC time, ms, at which a clock in UTC shows the same.
 */
export interface ZonedTime {
  wallClock(at: number): number;
  /**
   * The first and the last moment at which a wall clock shows a time, ms; they differ where an hour comes twice. For a
   * skipped time, both are the moment at which the clock jumps forward.
   */
  instants(wall: number): { readonly first: number; readonly last: number };
}

export function zonedTime(timeZone: string): ZonedTime {
  const parts = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    ...{ timeZone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const wallClock = (at: number): number => {
    const shown = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
    const [year, month, day] = [Number(shown['year']), Number(shown['month']), Number(shown['day'])];
    const [hour, minute, second] = [Number(shown['hour']), Number(shown['minute']), Number(shown['second'])];
    const ofMs = at - Math.floor(at / 1000) * 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second) + ofMs;
  };
  const ahead = (at: number): number => wallClock(at) - at;

  /** The moment between two times at which the clock jumps forward, ms. */
  const jumpBetween = (before: number, after: number): number => {
    const offset = ahead(before);
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (ahead(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  };

  return {
    wallClock,
    instants(wall) {
      // No zone is a whole day ahead or behind, so the clock shows the time between these two.
      const [before, after] = [wall - DAY_MS, wall + DAY_MS];
      const shown = [wall - ahead(before), wall - ahead(after)].filter((at) => wallClock(at) === wall);
      const jump = shown.length === 0 ? jumpBetween(before, after) : Number.NaN;
      return shown.length === 0 ? { first: jump, last: jump } : { first: Math.min(...shown), last: Math.max(...shown) };
    },
  };
}
