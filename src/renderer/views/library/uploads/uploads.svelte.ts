import { sayText } from '../../../../contract/messages/words.ts';
import type { UploadReport, UploadTarget } from '../../../../contract/asset.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { SendError, sendFile } from '../../../lib/assets/send-file.ts';

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
    this.stage = 'sending';
    try {
      this.#take(await this.#send());
    } catch (error) {
      this.#fail(error instanceof SendError ? error.trouble : toTrouble(error));
    }
  }

  #send(): Promise<UploadReport> {
    const { signal } = this.#abort;
    const { what, target, projectId } = this;
    if (what instanceof File) return sendFile({ file: what, target, projectId, signal, onSent: (b) => this.#has(b) });
    this.stage = 'handing-over';
    return api.library.addUrl({ url: what, target, ...(projectId !== null && { projectId }) }, { signal });
  }

  #has(bytes: number): void {
    this.sent = bytes;
    if (this.stage === 'sending' && bytes >= (this.bytes ?? 0)) this.stage = 'handing-over';
  }

  #take(report: UploadReport): void {
    if (this.stage === 'cancelled') return;
    if (!report.ok) {
      this.#fail({ message: sayText(report.problem), remedy: sayText(report.remedy) });
      return;
    }
    this.report = report;
    this.stage = 'done';
  }

  #fail(trouble: Trouble): void {
    if (this.stage === 'cancelled') return;
    this.trouble = trouble;
    this.stage = 'failed';
  }
}

class Uploads {
  all = $state.raw<readonly Upload[]>([]);
  #running = 0;

  constructor() {
    // A file that is on its way is lost with the window.
    window.addEventListener('beforeunload', (event) => {
      if (this.all.some((upload) => !upload.isOver)) event.preventDefault();
    });
  }

  add(what: readonly (File | string)[], targetOf: (what: File | string) => UploadTarget, project: string | null): void {
    this.all = [...this.all, ...what.map((each) => new Upload(each, targetOf(each), project))];
    this.#pump();
  }

  again(upload: Upload): void {
    upload.again();
    this.#pump();
  }

  clearOver(): void {
    this.all = this.all.filter((upload) => !upload.isOver);
  }

  #pump(): void {
    while (this.#running < AT_ONCE) {
      const next = this.all.find((upload) => upload.stage === 'waiting');
      if (!next) return;
      this.#running += 1;
      void next.run().finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }
}

export const uploads = new Uploads();
