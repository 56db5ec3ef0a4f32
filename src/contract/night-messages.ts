import * as z from 'zod';
import type { CapScope } from './ledger.ts';
import type { Counts } from './job.ts';
import type { Text } from './messages/message.ts';

export const NightEvent = z.enum([
  'needs_decision',
  'key_rejected',
  'disk_low',
  'cap_near',
  'cap_reached',
  /** The takes of a model fail one after the other: they wait, and the rest continues. */
  'model_failing',
  /** The queue waits for a person for another reason: no credit, a failed database. */
  'stopped',
  /** Nothing moved for half an hour, though something should. */
  'stalled',
  'finished',
]);
export type NightEvent = z.infer<typeof NightEvent>;

/** One message, before it has words. `why`, `shots` and `batches` leave the machine only if `messages.details` says so. */
export type NightMessage = { readonly at: number } & (
  | { readonly event: 'needs_decision'; readonly undecided: number; readonly shots: readonly string[] }
  | { readonly event: 'cap_near'; readonly scope: CapScope['scope']; readonly percent: number; readonly name: string }
  | { readonly event: NightHalt; readonly gate: string; readonly why: Text }
  | { readonly event: 'stalled'; readonly minutes: number; readonly unfinished: number }
  | { readonly event: 'finished'; readonly counts: Counts; readonly batches: readonly string[] }
  | { readonly event: 'test' }
);
export type NightHalt = 'key_rejected' | 'disk_low' | 'cap_reached' | 'model_failing' | 'stopped';

export const MessageChannel = z.enum(['webhook', 'ntfy', 'slack', 'discord', 'mail', 'system']);
export type MessageChannel = z.infer<typeof MessageChannel>;

/** Channels with a secret: that of the signature, a token, a password; of Slack and Discord, the address itself. */
export const SecretChannel = z.enum(['webhook', 'ntfy', 'slack', 'discord', 'mail']);
export type SecretChannel = z.infer<typeof SecretChannel>;

/** Where the secret of a channel comes from. The secret itself never leaves the engine's process. */
export const SecretSource = z.enum(['environment', 'keychain', 'none']);
export type SecretSource = z.infer<typeof SecretSource>;
