import type { QueueView } from '../../../contract/events.ts';
import { act } from '../act.ts';
import { api, toTrouble, type Trouble } from '../client.ts';
import { atMostEvery } from '../throttle.ts';
import { toastError } from '../toasts.ts';
import { changeStream } from './changes.svelte.ts';

const READ_EVERY_MS = 500;

class Queue {
  view = $state.raw<QueueView | null>(null);
  trouble = $state.raw<Trouble | null>(null);

  constructor() {
    const readSoon = atMostEvery(READ_EVERY_MS, () => this.read());
    changeStream.listen((changes) => {
      if (changes.resync || changes.queue !== null || changes.jobs.length > 0) readSoon();
    });
  }

  async read(): Promise<void> {
    try {
      this.view = await api.queue.view();
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
    }
  }

  async pause(): Promise<void> {
    await act('queue.pause', {}).then(() => this.read(), toastError);
  }

  async resume(): Promise<void> {
    await act('queue.resume', {}).then(() => this.read(), toastError);
  }
}

export const queue = new Queue();
