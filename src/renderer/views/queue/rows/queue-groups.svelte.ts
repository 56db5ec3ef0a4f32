import { untrack } from 'svelte';
import type { JobView } from '../../../../contract/job.ts';
import type { Grouping } from '../../../../contract/review.ts';
import { api } from '../../../lib/client.ts';
import { groupTitle } from '../../../lib/grouping.ts';
import { toastError } from '../../../lib/toasts.ts';
import { ColumnTexts, headedRows, type HeadedRows } from './headed-rows.ts';

const AT_ONCE = 5000;

export class QueueGroups {
  readonly #jobs: () => readonly JobView[];
  readonly #group: () => Grouping | undefined;
  #column = '';
  #texts = new ColumnTexts();
  #version = $state(0);
  #reading = false;
  readonly rows: HeadedRows = $derived.by(() => {
    void this.#version;
    return headedRows(this.#jobs(), this.#group(), (id) => this.#texts.of(id), groupTitle);
  });

  constructor(jobs: () => readonly JobView[], group: () => Grouping | undefined) {
    this.#jobs = jobs;
    this.#group = group;
  }

  follow(): void {
    void this.#jobs();
    const group = this.#group();
    const column = group?.by === 'column' ? group.column : '';
    if (column !== this.#column) {
      this.#column = column;
      this.#texts = new ColumnTexts();
    }
    if (column !== '') untrack(() => void this.#read());
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      for (let ids = this.#missing(); ids.length > 0; ids = this.#missing()) {
        const [column, texts] = [this.#column, this.#texts];
        texts.put(ids, await api.jobs.columnTexts({ ids, column }));
        this.#version += 1;
      }
    } catch (error) {
      toastError(error);
    } finally {
      this.#reading = false;
    }
  }

  #missing(): string[] {
    return this.#column === '' ? [] : this.#texts.missing(this.#jobs(), AT_ONCE);
  }
}
