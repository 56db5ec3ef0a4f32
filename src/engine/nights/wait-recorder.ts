import type { Gate } from '../../contract/events.ts';
import type { NightSpans, OpenSpan } from '../db/night-store.ts';
import { toMessage } from '../base/errors.ts';
import type { Clock, Logger } from '../base/ports.ts';

/** A gate that closes again within this time counts as closed throughout, ms: 429s often come in groups. */
const SAME_WAIT_MS = 10_000;
const KEPT_MS = 90 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

interface Open {
  readonly id: number;
  /** When its gate opened, ms; null while it is closed. */
  goneAt: number | null;
}

/** Records what keeps takes waiting: gates, sleep and clock changes. The host calls `beat` about once a minute. */
export function createWaitRecorder(
  spans: NightSpans,
  clock: Clock,
  logger: Logger,
  unfinished: () => number,
  projectOfBatch: (batchId: string) => string | undefined,
) {
  const waits = new Map<string, Open>();
  let lastBeat: { readonly look: Look; readonly waiting: number; readonly isAtWork: boolean } | null = null;
  let tidiedAt = Number.NEGATIVE_INFINITY;

  /** A missing wait in the report is better than stopping the night. */
  function written(work: (now: number) => void): void {
    try {
      work(clock.now());
    } catch (error) {
      logger.warn('A wait was not written down', { reason: toMessage(error) });
    }
  }

  function gates(shown: readonly Gate[]): void {
    written((now) => {
      const waiting = shown.length > 0 ? unfinished() : 0;
      const closed = new Map<string, Pick<OpenSpan, 'cause' | 'projectId' | 'message'>>();
      for (const gate of waiting > 0 ? shown : []) {
        const [cause, projectId] = [toCause(gate), projectOf(gate)];
        closed.set(`${cause} ${projectId ?? ''}`, { cause, projectId, message: gate.message });
      }
      for (const [key, open] of waits) {
        if (closed.has(key)) {
          if (open.goneAt === null) continue;
          if (now - open.goneAt < SAME_WAIT_MS) {
            open.goneAt = null;
            spans.extend(open.id, now, { waiting, isOpen: true });
          } else waits.delete(key);
        } else if (open.goneAt === null) {
          open.goneAt = now;
          spans.extend(open.id, now, { waiting: 0, isOpen: false });
        }
      }
      for (const [key, facts] of closed) {
        if (waits.has(key)) continue;
        const id = spans.begin({ ...facts, isOpen: true, from: now, until: now, waiting });
        waits.set(key, { id, goneAt: null });
      }
    });
  }

  /** The only project whose takes a gate delays; null if it delays others too. */
  function projectOf({ projectId, window, cap }: Gate): string | null {
    const scope = window?.scope ?? cap?.scope;
    if (scope?.scope === 'project') return scope.projectId;
    if (scope?.scope === 'batch') return projectOfBatch(scope.batchId) ?? null;
    return projectId ?? null;
  }

  /** `isAtWork`: something progresses automatically. */
  function beat(isAtWork: boolean): void {
    written((wall) => {
      const look = { wall, steady: clock.steady?.() ?? wall };
      const before = lastBeat;
      const waiting = unfinished();
      if (before?.isAtWork) noteGap(before.look, look, before.waiting);
      for (const [key, { id, goneAt }] of waits) {
        if (goneAt === null) spans.extend(id, wall, { waiting, isOpen: true });
        else if (Math.abs(wall - goneAt) >= SAME_WAIT_MS) waits.delete(key);
      }
      lastBeat = { look, waiting, isAtWork: isAtWork && waiting > 0 };
      if (lastBeat.isAtWork || before?.isAtWork) {
        spans.setBeat(lastBeat.isAtWork ? { at: wall, waiting } : null);
      }
      if (Math.abs(wall - tidiedAt) >= DAY_MS) {
        tidiedAt = wall;
        spans.forgetBefore(wall - KEPT_MS);
      }
    });
  }

  /** The engine stops. Gates closed now count as closed until this moment. */
  function stop(): void {
    written((now) => {
      for (const { id, goneAt } of waits.values()) {
        if (goneAt === null) spans.extend(id, now, { waiting: 0, isOpen: true });
      }
      waits.clear();
    });
  }

  function noteGap(before: Look, now: Look, waiting: number): void {
    const { slept, clockBy } = gapBetween(before, now);
    const facts = { projectId: null, message: null, isOpen: false, waiting };
    // Uses the clock as it is now, whatever it was before.
    if (slept > 0) spans.begin({ ...facts, cause: 'slept', from: now.wall - slept, until: now.wall });
    if (clockBy !== 0) {
      spans.begin({ ...facts, cause: 'clock_changed', from: now.wall, until: now.wall, clockBy });
    }
  }

  // What the last engine left: waits that ended with it, and the time without an engine.
  written((now) => {
    spans.closeAll();
    const last = spans.beat();
    if (last === null) return;
    if (now - last.at >= ASLEEP_MS) {
      const facts = { cause: 'off', projectId: null, message: null, isOpen: false };
      spans.begin({ ...facts, from: last.at, until: now, waiting: last.waiting });
    }
    spans.setBeat(null);
  });

  return { gates, beat, stop };
}

/** A full model is not a problem: the service works at its capacity. */
const toCause = ({ reason, message }: Gate): string =>
  reason === 'throttled' && typeof message !== 'string' && message.key === 'waiting.modelFull'
    ? 'service_full'
    : reason;

/** The clocks are checked every minute; after a longer gap than this, the machine slept, ms. */
const ASLEEP_MS = 3 * 60_000;
/** Clocks are regularly corrected by less than this, ms. */
const SMALL_CHANGE_MS = 30_000;

interface Look {
  /** The clock of the machine, ms since the epoch. */
  readonly wall: number;
  /** Ms since some moment, including the machine's sleep; setting the clock does not change it. */
  readonly steady: number;
}

interface Gap {
  /** How long the machine slept or paused the process, ms; 0 if it did not. */
  readonly slept: number;
  /** By how much the clock was set to another time, ms; below 0 when it was set back, 0 when it was not. */
  readonly clockBy: number;
}

/** Summer time changes neither clock, so it counts as neither. Pure. */
export function gapBetween(before: Look, now: Look): Gap {
  const passed = Math.max(0, now.steady - before.steady);
  const clockBy = now.wall - before.wall - passed;
  return {
    slept: passed >= ASLEEP_MS ? passed : 0,
    clockBy: Math.abs(clockBy) >= SMALL_CHANGE_MS ? clockBy : 0,
  };
}
