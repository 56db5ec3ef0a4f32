import PQueue from 'p-queue';
import { sayText } from '../../../contract/messages/words.ts';
import type { UploadReport, UploadTarget } from '../../../contract/asset.ts';
import { api, toTrouble, type Trouble } from '../../lib/client.ts';
import { SendError, sendFile } from '../../lib/assets/send-file.ts';

/** How many run at once: the engine has its own limit towards the service. */
const AT_ONCE = 2;

export type UploadStage = 'waiting' | 'sending' | 'handing-over' | 'done' | 'failed' | 'cancelled';

export class Upload {
  readonly id = crypto.randomUUID();
  readonly what: File | string;
  readonly target: UploadTarget;
  readonly projectId: string | null;
  stage = $state<UploadStage>('waiting');
  /** Bytes that Dailies has taken in. */
  sent = $state(0);
  report = $state.raw<Extract<UploadReport, { ok: true }> | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  #abort = new AbortController();

  constructor(what: File | string, target: UploadTarget, projectId: string | null) {
    this.what = what;
    this.target = target;
    this.projectId = projectId;
  }

  get name(): string {
    return this.what instanceof File ? this.what.name : this.what;
  }

  /** Bytes; null for an address, which the service fetches itself. */
  get bytes(): number | null {
    return this.what instanceof File ? this.what.size : null;
  }

  get isOver(): boolean {
    return this.stage === 'done' || this.stage === 'failed' || this.stage === 'cancelled';
  }

  cancel(): void {
    if (this.isOver) return;
    this.stage = 'cancelled';
    this.#abort.abort();
  }

  again(): void {
    this.#abort = new AbortController();
    this.stage = 'waiting';
    this.sent = 0;
    this.trouble = null;
  }

  /** Does not throw: `trouble` has the error. */
  async run(): Promise<void> {
    if (this.stage !== 'waiting') return;
    try {
      const report = await this.#send();
      if (!report.ok) throw new SendError({ message: sayText(report.problem), remedy: sayText(report.remedy) });
      if (this.isOver) return;
      this.report = report;
      this.stage = 'done';
    } catch (error) {
      if (this.isOver) return;
      this.trouble = error instanceof SendError ? error.trouble : toTrouble(error);
      this.stage = 'failed';
    }
  }

  #send(): Promise<UploadReport> {
    const { signal } = this.#abort;
    const { what, target, projectId } = this;
    this.stage = what instanceof File ? 'sending' : 'handing-over';
    return what instanceof File
      ? sendFile({ file: what, target, projectId, signal, onSent: (bytes) => this.#note(bytes) })
      : api.library.addUrl({ url: what, target, ...(projectId !== null && { projectId }) }, { signal });
  }

  #note(sent: number): void {
    this.sent = sent;
    if (this.stage === 'sending' && sent >= (this.bytes ?? 0)) this.stage = 'handing-over';
  }
}

class Uploads {
  all = $state.raw<readonly Upload[]>([]);
  readonly #turns = new PQueue({ concurrency: AT_ONCE });

  constructor() {
    // A file that is on its way is lost with the window.
    window.addEventListener('beforeunload', (event) => {
      if (this.all.some((upload) => !upload.isOver)) event.preventDefault();
    });
  }

  add(what: readonly (File | string)[], targetOf: (what: File | string) => UploadTarget, project: string | null): void {
    const added = what.map((each) => new Upload(each, targetOf(each), project));
    this.all = [...this.all, ...added];
    for (const upload of added) void this.#turns.add(() => upload.run());
  }

  again(upload: Upload): void {
    upload.again();
    void this.#turns.add(() => upload.run());
  }

  clearOver(): void {
    this.all = this.all.filter((upload) => !upload.isOver);
  }
}

export const uploads = new Uploads();
