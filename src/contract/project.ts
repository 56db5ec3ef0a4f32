import * as z from 'zod';
import { BatchOrder } from './batch.ts';
import { Counts } from './job.ts';
import { Text } from './messages/message.ts';

export const ProjectView = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  /** False while the folder cannot be found: unplugged, moved or deleted. It can be relinked. */
  available: z.boolean(),
  batches: z.int(),
  batchOrder: BatchOrder,
  counts: Counts,
  bytes: z.number(),
  openedAt: z.number(),
  /** The sample project, which runs on the demo service and costs nothing. */
  isSample: z.boolean(),
  /** Name of the account that its requests are sent with; null for the sample, and where the account is gone. */
  account: z.string().nullable(),
});
export type ProjectView = z.infer<typeof ProjectView>;

export const OpenedProjectView = z.object({
  project: ProjectView,
  adoptedTakes: z.int(),
  /** Caps and night windows that the folder has brought, each as a text. */
  limits: z.array(Text),
  problems: z.array(Text),
});

/** One folder as the folder chooser of the web host shows it. Folders only, never files. */
export const FolderListing = z.object({
  path: z.string(),
  parent: z.string().nullable(),
  /** Names of subfolders, sorted; hidden ones left out. */
  folders: z.array(z.object({ name: z.string(), path: z.string(), isProject: z.boolean() })),
  writable: z.boolean(),
  freeBytes: z.number(),
});
export type FolderListing = z.infer<typeof FolderListing>;

/**
 * Why an export has not all of a folder: `name` has a backslash or a colon, `hardLink` has a second name elsewhere,
 * `special` is a pipe, a socket or a device, `deep` is a folder in too many others, and `gone` was moved or removed while
 * the others were copied.
 */
export const WhyLeftOut = z.enum(['name', 'link', 'hardLink', 'special', 'deep', 'gone']);
export type WhyLeftOut = z.infer<typeof WhyLeftOut>;

/** Files of a project that its export lacks; a folder counts with everything in it. */
export const LeftOut = z.object({
  count: z.int(),
  /** The first of them, with paths below the project folder. */
  first: z.array(z.object({ path: z.string(), why: WhyLeftOut })),
});
export type LeftOut = z.infer<typeof LeftOut>;

export const MAX_LEFT_OUT = 100;

export const TakeFileTrouble = z.object({
  /** Relative to the project folder, with forward slashes. */
  file: z.string(),
  problem: z.enum(['changed', 'missing', 'unreadable']),
  /** Why it cannot be read. */
  reason: Text.optional(),
  takeId: z.string(),
  batchId: z.string(),
  shot: z.string(),
  take: z.int(),
});
export type TakeFileTrouble = z.infer<typeof TakeFileTrouble>;

/** How far the check of the files of a project's takes has come, what it finds, and at last how many are not whole. */
export const VerifyNews = z.discriminatedUnion('type', [
  z.object({ type: z.literal('checked'), files: z.int(), ofFiles: z.int(), bytes: z.number(), ofBytes: z.number() }),
  z.object({ type: z.literal('trouble'), ...TakeFileTrouble.shape }),
  /** `emptied`: files that were removed for good with the trash. */
  z.object({ type: z.literal('done'), files: z.int(), bytes: z.number(), emptied: z.int(), troubles: z.int() }),
  z.object({ type: z.literal('failed'), message: Text, remedy: Text }),
]);
export type VerifyNews = z.infer<typeof VerifyNews>;

export const MAX_TROUBLES = 100;
