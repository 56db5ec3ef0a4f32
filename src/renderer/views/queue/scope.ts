import type { Scope } from '../../lib/jobs/read-jobs.ts';

/** What the address says the queue is about; everything, when it says nothing. */
export function scopeOf({ of, batch }: Readonly<Record<string, string>>): Scope {
  return {
    ...(of !== undefined && { projectId: of }),
    ...(batch !== undefined && { batchId: batch }),
  };
}
