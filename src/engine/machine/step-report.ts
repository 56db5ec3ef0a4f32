/** What a step saw of the world around its job. The scheduler decides what follows for the queue. */
export type StepReport =
  /** The service answered sensibly, or nobody was asked. */
  | { readonly saw: 'nothing_unusual' }
  | { readonly saw: 'answer' }
  /** A submit got an unclear answer. */
  | { readonly saw: 'unclear_answer' }
  | { readonly saw: 'no_connection'; readonly message: string }
  | { readonly saw: 'key_refused'; readonly message: string }
  /** The account is empty: every other submit would be refused too. */
  | { readonly saw: 'no_credit'; readonly message: string }
  /** Too little room on the disk of the job's project, or on the one with the database. */
  | { readonly saw: 'disk_low'; readonly disk: 'project' | 'data'; readonly message: string }
  /** An engine of another data folder has taken the job's project. */
  | { readonly saw: 'project_in_use'; readonly error: { readonly whoWorks: string } };

export const nothingUnusual: StepReport = { saw: 'nothing_unusual' };
