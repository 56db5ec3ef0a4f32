import * as z from 'zod';

/** In the order of a week. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const Weekday = z.enum(WEEKDAYS);
export type Weekday = z.infer<typeof Weekday>;

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);

/**
 * Whether a time zone of this name exists, such as `Europe/Berlin`. Plain offsets have no summer time and do not count.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z][\w+/-]{1,99}$/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * When takes may be sent. It opens on each of its days, and closes at the next time of day that `closes` says: that may be
 * after midnight, and is a whole day later when both are the same.
 */
export const NightWindow = z.object({
  days: z
    .array(Weekday)
    .min(1)
    .max(7)
    .overwrite((days) => WEEKDAYS.filter((day) => days.includes(day))),
  opens: timeOfDay,
  closes: timeOfDay,
  timeZone: z.string().refine(isTimeZone),
});
export type NightWindow = z.infer<typeof NightWindow>;

/** Hours of every day, by the clock of the computer. */
export const Hours = NightWindow.pick({ opens: true, closes: true });
export type Hours = z.infer<typeof Hours>;

/** Where nobody has set a window. */
export const USUAL_HOURS: Hours = { opens: '22:00', closes: '07:00' };

const id = z.string().min(1).max(200);

/** The scope of a window. One of a batch replaces its project's. */
export const WindowScope = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('project'), projectId: id }),
  z.object({ scope: z.literal('batch'), batchId: id }),
]);
export type WindowScope = z.infer<typeof WindowScope>;

export const WindowState = z.object({
  scope: WindowScope,
  window: NightWindow,
  isOpen: z.boolean(),
  /** A person did not wait for it to open. */
  isEarly: z.boolean(),
  /** When it opened or closed last, and when it does so next, ms; null for one that never closes. */
  changedAt: z.number().nullable(),
  changesAt: z.number().nullable(),
});
export type WindowState = z.infer<typeof WindowState>;

/** The window of takes of a batch: its own, else that of its project. Pure. */
export const windowFor = (
  { projectId, batchId }: { readonly projectId: string; readonly batchId: string },
  windows: readonly WindowState[],
): WindowState | undefined =>
  windows.find(({ scope }) => scope.scope === 'batch' && scope.batchId === batchId) ??
  windows.find(({ scope }) => scope.scope === 'project' && scope.projectId === projectId);

/** When hours of every day begin next by this computer's clock, ms; null while they run. Equal times: the whole day. */
export function nextOpening({ opens, closes }: Hours, now: number): number | null {
  const today = (time: string, days = 0): number => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    return date.setHours(hour, minute, 0, 0);
  };
  const [from, to] = [today(opens), today(closes)];
  const runs = from < to ? now >= from && now < to : now >= from || now < to;
  if (runs) return null;
  return now < from ? from : today(opens, 1);
}

/** `22:00-07:00`; null for anything else. The end of a day may be written `24:00`. */
export function parseHours(text: string): Hours | null {
  const [, opens = '', closes = ''] = /^(\d{1,2}:\d{2})\s*[-–]\s*(\d{1,2}:\d{2})$/.exec(text.trim()) ?? [];
  const hours = {
    opens: opens.padStart(5, '0'),
    closes: closes === '24:00' ? '00:00' : closes.padStart(5, '0'),
  };
  return timeOfDay.safeParse(hours.opens).success && timeOfDay.safeParse(hours.closes).success ? hours : null;
}

/** `mon-fri`, `sat,sun` or `fri-mon`; null for anything else. */
export function parseDays(text: string): Weekday[] | null {
  const found = new Set<Weekday>();
  for (const part of text.toLowerCase().split(',')) {
    const [first = '', last = first, ...more] = part.split('-').map((day) => day.trim());
    const [from, to] = [WEEKDAYS.indexOf(first as Weekday), WEEKDAYS.indexOf(last as Weekday)];
    if (from < 0 || to < 0 || more.length > 0) return null;
    for (let step = 0; step <= (to - from + 7) % 7; step += 1) {
      const day = WEEKDAYS[(from + step) % 7];
      if (day) found.add(day);
    }
  }
  return WEEKDAYS.filter((day) => found.has(day));
}
