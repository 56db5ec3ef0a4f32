/** One event of a trace, as far as it is read here. Times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  /** Time of the processor within it. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task of a page's main thread, ms. */
export interface Tasks {
  /** By the clock: what a person waits, and what else the machine does meanwhile. */
  readonly longest: number;
  /** Of the processor's time. */
  readonly longestWork: number;
}

/** Every other thing that the page has to do waits while one task runs. */
export function tasksIn(events: readonly TraceEvent[]): Tasks {
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && mainThreads.has(`${pid}/${tid}`));
  if (tasks.length === 0) throw new Error('The trace holds no task of the page.');
  const longest = (of: (task: TraceEvent) => number | undefined): number =>
    tasks.reduce((most, task) => Math.max(most, of(task) ?? 0), 0) / 1000;
  return { longest: longest(({ dur }) => dur), longestWork: longest(({ tdur }) => tdur) };
}
