import type { JobState } from '../../contract/job.ts';
import { toAttempt } from '../machine/job-facts.ts';
import { newJob, type JobEventType } from '../machine/job-machine.ts';
import type { Job } from './job-sql.ts';
import { Store } from './connection.ts';

/** Where a project of a studio lies: below a root that every machine has somewhere. */
export interface StudioPlace {
  readonly projectId: string;
  readonly studio: string;
  readonly root: string;
  /** Relative to the root, with forward slashes. */
  readonly path: string;
}

export interface StudioTake {
  /** The machine that has it; null while nobody has. */
  readonly worker: string | null;
  readonly epoch: number;
  /** This data folder works on it. */
  readonly isHere: boolean;
}

/** How a take was queued, as far as this data folder knows it. A studio that was restored is told. */
export interface QueuedAs {
  readonly person: string | null;
  readonly keyFingerprint: string | null;
  readonly origin: string | null;
  readonly isOnHold: boolean;
}

/**
 * What happened to a take of the studio here. `unused`: a right to send it was not used, and nothing was sent. `released`:
 * this data folder does not work on it. `judged`: a person gave a verdict here.
 */
export interface OutboxEntry {
  readonly seq: number;
  readonly jobId: string;
  readonly epoch: number;
  readonly at: number;
  readonly event: JobEventType | 'unused' | 'released' | 'judged';
  readonly attemptId: string | null;
  /** The state that followed. */
  readonly facts: JobState;
}

/** What other machines and people need to know. The rest is between this data folder and the service. */
const TOLD: ReadonlySet<JobEventType> = new Set([
  ...(['unprepared', 'not_accepted', 'accepted', 'answered', 'refused', 'unclear', 'answer_found'] as const),
  ...(['task_failed', 'task_cancelled', 'attached_task_not_found', 'blocked', 'saved'] as const),
  ...(['cancel', 'attach', 'give_up', 'resubmit', 'retry', 'found_in_folder'] as const),
]);

/** What was seen of the studio's database; one that knows less was restored. */
export interface StudioMarks {
  readonly studio: string | null;
  readonly grants: number;
  readonly facts: number;
  readonly changes: number;
}

/** A studio's projects and takes in this data folder. Where there is none, each question is answered from memory. */
export class StudioStore extends Store {
  #places: Map<string, StudioPlace> | null = null;
  /** Something is in the outbox. */
  onEntry: () => void = () => undefined;

  get #known(): Map<string, StudioPlace> {
    this.#places ??= new Map(
      this.facts.all<StudioPlace>`SELECT project_id, studio, root, path FROM studio_projects`.map((place) => [
        place.projectId,
        place,
      ]),
    );
    return this.#places;
  }

  places(): readonly StudioPlace[] {
    return [...this.#known.values()];
  }

  placeOf(projectId: string): StudioPlace | null {
    return this.#known.get(projectId) ?? null;
  }

  join(place: StudioPlace): void {
    const { projectId, studio, root, path } = place;
    this.facts.run`INSERT OR REPLACE INTO studio_projects (project_id, studio, root, path)
      VALUES (${projectId}, ${studio}, ${root}, ${path})`;
    this.#known.set(projectId, place);
  }

  take(jobId: string): (StudioTake & Pick<QueuedAs, 'person'>) | null {
    if (this.#known.size === 0) return null;
    return this.facts.one`SELECT worker, epoch, is_here, person FROM studio_takes WHERE job_id = ${jobId}`;
  }

  /** Where a take runs now. Belongs in the commit that makes or changes its job. */
  place(jobId: string, { worker, epoch, isHere }: StudioTake, queuedAs: Partial<QueuedAs> = {}): void {
    const { person, keyFingerprint, origin, isOnHold } = queuedAs;
    this.facts
      .run`INSERT INTO studio_takes (job_id, worker, epoch, is_here, person, key_fingerprint, origin, is_on_hold)
      VALUES (${jobId}, ${worker}, ${epoch}, ${isHere}, ${person}, ${keyFingerprint}, ${origin}, ${isOnHold ?? false})
      ON CONFLICT DO UPDATE SET worker = excluded.worker, epoch = excluded.epoch, is_here = excluded.is_here,
        person = coalesce(excluded.person, person), key_fingerprint = coalesce(excluded.key_fingerprint, key_fingerprint),
        origin = coalesce(excluded.origin, origin), is_on_hold = coalesce(${isOnHold}, is_on_hold)`;
  }

  /** It is no take of the studio. Belongs in the commit that ends its job. */
  forget(jobId: string): void {
    this.facts.run`DELETE FROM studio_takes WHERE job_id = ${jobId}`;
  }

  setWaits(jobId: string, waits: boolean): void {
    this.facts.run`UPDATE studio_takes SET waits = ${waits} WHERE job_id = ${jobId} AND waits <> ${waits}`;
  }

  /** Takes that nobody has yet, since they wait for another shot or a person. */
  waiting(): string[] {
    return this.facts.values`SELECT job_id FROM studio_takes JOIN jobs ON jobs.id = job_id
      WHERE studio_takes.waits = 1 AND worker IS NULL AND step IS NOT NULL`;
  }

  /** Who has how many unfinished takes of a project; null: those that nobody has yet. */
  unfinishedIn(projectId: string): { readonly worker: string | null; readonly takes: number }[] {
    if (this.#known.size === 0) return [];
    return this.facts.all`SELECT worker, COUNT(*) AS takes FROM studio_takes JOIN jobs ON jobs.id = job_id
      WHERE project_id = ${projectId} AND step IS NOT NULL GROUP BY worker ORDER BY worker`;
  }

  all(): (StudioTake & QueuedAs & { readonly jobId: string })[] {
    return this.facts.all`SELECT job_id, worker, epoch, is_here, person, key_fingerprint, origin, is_on_hold
      FROM studio_takes`;
  }

  /** The studio's takes that have not ended here. */
  here(): { readonly jobId: string; readonly epoch: number; readonly state: string }[] {
    return this.facts.all`SELECT job_id, epoch, state FROM studio_takes JOIN jobs ON jobs.id = job_id
      WHERE is_here = 1 AND (step IS NOT NULL OR state = 'submitting')`;
  }

  /** Writes down what happened, for the commit of the event; null where nobody else has to know it. */
  entryFor(job: Job, event: JobEventType, next: JobState, at: number): (() => void) | null {
    if (this.#known.size === 0 || !TOLD.has(event)) return null;
    const take = this.take(job.id);
    if (!take?.isHere) return null;
    const attemptId = (toAttempt(next) ?? toAttempt(job.state))?.id ?? null;
    return () => this.#add({ jobId: job.id, epoch: take.epoch, at, event, attemptId, facts: next });
  }

  unused({ id, state }: Job, attemptId: string, at: number): void {
    const epoch = this.take(id)?.epoch ?? 0;
    this.#add({ jobId: id, epoch, at, event: 'unused', attemptId, facts: state });
  }

  released(jobId: string, epoch: number, at: number): void {
    this.#add({ jobId, epoch, at, event: 'released', attemptId: null, facts: newJob });
  }

  judged(jobId: string, at: number): void {
    const take = this.take(jobId);
    if (take) this.#add({ jobId, epoch: take.epoch, at, event: 'judged', attemptId: null, facts: newJob });
  }

  /** The studio has forgotten verdicts that this data folder knows. */
  judgedAll(at: number): void {
    for (const jobId of this.facts.values<string>`SELECT job_id FROM verdicts JOIN studio_takes USING (job_id)`)
      if (!this.isJudging(jobId)) this.judged(jobId, at);
  }

  /** A verdict of this data folder is on its way to the studio, and is newer than what that has. */
  isJudging(jobId: string): boolean {
    return this.facts.has`SELECT 1 FROM studio_outbox WHERE job_id = ${jobId} AND event = 'judged'`;
  }

  /** The studio has not heard yet what this take came to. */
  isToTell(jobId: string): boolean {
    return this.facts.has`SELECT 1 FROM studio_outbox WHERE job_id = ${jobId} AND event <> 'judged'`;
  }

  #add({ jobId, epoch, at, event, attemptId, facts }: Omit<OutboxEntry, 'seq'>): void {
    this.facts.run`INSERT INTO studio_outbox (job_id, epoch, at, event, attempt_id, facts)
      VALUES (${jobId}, ${epoch}, ${at}, ${event}, ${attemptId}, ${facts})`;
    // Its commit comes first.
    queueMicrotask(this.onEntry);
  }

  outbox(limit: number): OutboxEntry[] {
    return this.facts.all<OutboxEntry>`SELECT seq, job_id, epoch, at, event, attempt_id, facts FROM studio_outbox
      ORDER BY seq LIMIT +${limit}`;
  }

  /**
   * The studio has facts up to this one. A data folder that has not counted so far is an older copy: what it has to tell
   * gets numbers that the studio does not know yet.
   */
  continueAfter(seq: number): void {
    const last = this.facts.count`SELECT seq FROM sqlite_sequence WHERE name = 'studio_outbox'`;
    if (last >= seq) return;
    this.facts.run`INSERT INTO sqlite_sequence (name, seq) SELECT 'studio_outbox', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'studio_outbox')`;
    this.facts.run`UPDATE studio_outbox SET seq = seq + ${seq}`;
    this.facts.run`UPDATE sqlite_sequence SET seq = ${last + seq} WHERE name = 'studio_outbox'`;
  }

  /** The studio has everything up to this one. */
  told(seq: number): void {
    this.facts.run`DELETE FROM studio_outbox WHERE seq <= ${seq}`;
  }

  /** How far the changes of others were read, by the studio's own count. */
  get readUpTo(): number {
    return this.facts.count`SELECT value FROM studio_marks WHERE name = 'read'`;
  }

  set readUpTo(sequence: number) {
    this.facts.run`INSERT OR REPLACE INTO studio_marks (name, value) VALUES ('read', ${sequence})`;
  }

  /** The budgets of the studio, as JSON; empty where none were seen. */
  get budgets(): string {
    return this.facts.value<string>`SELECT value FROM studio_marks WHERE name = 'budgets'` ?? '';
  }

  set budgets(json: string) {
    this.facts.run`INSERT OR REPLACE INTO studio_marks (name, value) VALUES ('budgets', ${json})`;
  }

  /** Grows each time that the studio's database was restored; epochs are compared within one. */
  get generation(): number {
    return Number(this.#studio?.split('/')[1] ?? 0);
  }

  get #studio(): string | null {
    return this.facts.value<string>`SELECT value FROM studio_marks WHERE name = 'studio'`;
  }

  seen(): StudioMarks | null {
    const rows = this.facts.all<{ readonly name: string; readonly value: string | number }>`
      SELECT name, value FROM studio_marks WHERE name NOT IN ('read', 'budgets')`;
    return rows.length === 0 ? null : (Object.fromEntries(rows.map(({ name, value }) => [name, value])) as never);
  }

  forgetSeen(): void {
    this.hints.run`DELETE FROM studio_marks`;
  }

  /** Not synced: the intent of a request follows, and makes it durable too. */
  keepSeen(seen: StudioMarks): void {
    // Another generation counts its changes from the beginning.
    if (seen.studio !== null && seen.studio !== this.#studio) this.readUpTo = 0;
    for (const [name, value] of Object.entries(seen) as [string, string | number | null][]) {
      if (value === null) continue;
      this.hints.run`INSERT INTO studio_marks (name, value) VALUES (${name}, ${value})
        ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value`;
    }
  }
}
