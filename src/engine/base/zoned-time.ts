const DAY_MS = 86_400_000;

/** A time zone, as the system knows it. A wall clock is told as the time of UTC, ms, at which one in UTC shows the same. */
export interface ZonedTime {
  wallClock(at: number): number;
  /**
   * When a wall clock shows a time, ms: twice where an hour comes twice. One that is skipped is where the clock is put
   * forward, past it.
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

  /** Where the clock is put forward between two times, ms. */
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
      // No place is a whole day ahead or behind: between these is each moment at which the clock may show it.
      const [before, after] = [wall - DAY_MS, wall + DAY_MS];
      const shown = [wall - ahead(before), wall - ahead(after)].filter((at) => wallClock(at) === wall);
      const jump = shown.length === 0 ? jumpBetween(before, after) : Number.NaN;
      return shown.length === 0 ? { first: jump, last: jump } : { first: Math.min(...shown), last: Math.max(...shown) };
    },
  };
}
