import type { CapState } from '../../contract/ledger.ts';
import type { Text } from '../../contract/messages/message.ts';

/** What a step saw besides its own job. The scheduler decides what follows for the queue. */
export type StepReport =
  /** The service answered normally, or was not asked. */
  | { readonly saw: 'nothing_unusual' }
  | { readonly saw: 'answer' }
  /** A submit got an unclear answer. */
  | { readonly saw: 'unclear_answer' }
  | { readonly saw: 'no_connection'; readonly message: Text }
  | { readonly saw: 'key_refused'; readonly message: Text }
  /** The account is empty: every other submit would be refused too. */
  | { readonly saw: 'no_credit'; readonly message: Text }
  /** Too little room on the disk of the job's project, or on the one with the database. */
  | { readonly saw: 'disk_low'; readonly disk: 'project' | 'data'; readonly message: Text }
  /** A cap on what a batch, a project or a night may cost. `unpriced`: a model whose price is not known. */
  | { readonly saw: 'cap_reached'; readonly cap: CapState; readonly unpriced: string | undefined }
  /** An engine of another data folder has taken the job's project. */
  | { readonly saw: 'project_in_use'; readonly error: { readonly whoWorks: Text } };

export const nothingUnusual: StepReport = { saw: 'nothing_unusual' };
