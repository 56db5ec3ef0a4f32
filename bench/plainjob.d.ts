/** What the bench calls of plainjob, which is installed only to measure it. */
declare module 'plainjob' {
  import type { Database } from 'better-sqlite3';

  export interface Queue {
    addMany(type: string, data: readonly unknown[]): unknown;
    getAndMarkJobAsProcessing(type: string): { readonly id: number } | undefined;
    markJobAsDone(id: number): void;
    close(): void;
  }

  export function better(database: Database): unknown;
  export function defineQueue(options: { readonly connection: unknown; readonly logger: object }): Queue;
}
