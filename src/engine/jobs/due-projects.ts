import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { Gate } from '../../contract/events.ts';
import { isDatabaseTrouble } from '../db/open.ts';
import { toMessage } from '../base/errors.ts';
import { ProjectInUseError } from '../projects/project-owner.ts';
import { LOCAL_RETRY_MS } from './disk-check.ts';
import type { Step } from '../db/job-store.ts';
import type { ServiceQueue } from './service-queues.ts';
import type { StepContext } from './step-context.ts';
import type { Excluded, Seen, WaitReason } from './wait-reasons.ts';

const ASK_AGAIN_MS = 15_000;

type Held = Gate & { readonly until: number; readonly projectId: string };

export class DueProjects implements WaitReason {
  readonly #context: StepContext;
  /** A project was taken, or could not be: look again. */
  readonly #lookAgain: () => void;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Projects in which nothing begins: they are being renamed, or are in the archive. */
  readonly suspended = new Set<string>();
  readonly #held = new Map<string, Held>();
  /** Folders that are away, each with the time until which steps check it themselves, ms. */
  readonly #away = new Map<string, number>();

  constructor(context: StepContext, lookAgain: () => void) {
    this.#context = context;
    this.#lookAgain = lookAgain;
  }

  /** Whether jobs of a project may continue, also while its folder is away: each step knows what it can do then. */
  mayGoOn(projectId: string, now: number): boolean {
    return this.#context.claims.taken.has(projectId) || (this.#away.get(projectId) ?? 0) > now;
  }

  ask(projectId: string): void {
    if (this.#underWay.has(projectId)) return;
    const asked = this.#context.claims
      .claim(projectId)
      .catch((error: unknown) => this.#onRefusal(projectId, error))
      .finally(() => {
        this.#underWay.delete(projectId);
        this.#lookAgain();
      });
    this.#underWay.set(projectId, asked);
  }

  excludes(_serviceQueue: ServiceQueue, _step: Step, now: number): Excluded {
    const held = this.closed(now);
    return {
      projects: [...held.map(({ projectId }) => projectId), ...this.#underWay.keys(), ...this.suspended],
      until: Math.min(...held.map(({ until }) => until)),
    };
  }

  note({ job, report }: Seen): void {
    if (report.saw === 'project_in_use') this.#hold(job.projectId, report.error);
  }

  closed(now: number): Held[] {
    return [...this.#held.values()].filter(({ until }) => until > now);
  }

  #hold(projectId: string, { whoWorks }: { readonly whoWorks: Text }): void {
    const message = messageFor('waiting.projectInUse', { reason: whoWorks });
    this.#held.set(projectId, {
      reason: 'project_in_use',
      message,
      until: this.#context.ports.clock.now() + ASK_AGAIN_MS,
      projectId,
    });
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #onRefusal(projectId: string, error: unknown): void {
    if (error instanceof ProjectInUseError) {
      this.#hold(projectId, error);
      return;
    }
    if (!isDatabaseTrouble(error)) {
      this.#context.ports.logger.warn('A project could not be taken', { project: projectId, reason: toMessage(error) });
    }
    this.#away.set(projectId, this.#context.ports.clock.now() + LOCAL_RETRY_MS);
  }
}
