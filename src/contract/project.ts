import * as z from 'zod';
import { BatchOrder } from './batch-order.ts';
import { Counts } from './job.ts';
import { Text } from './messages/message.ts';

/** A project as the projects view shows it. */
export const ProjectView = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  /** False while the folder cannot be found: unplugged, moved or deleted. It can be relinked. */
  available: z.boolean(),
  batches: z.int(),
  /** In which its batches are listed. */
  batchOrder: BatchOrder,
  counts: Counts,
  /** Bytes of published takes. */
  bytes: z.number(),
  openedAt: z.number(),
  /** The sample project, which runs on the demo service and costs nothing. */
  isSample: z.boolean(),
});
export type ProjectView = z.infer<typeof ProjectView>;

/** What opening a folder found. */
export const OpenedProjectView = z.object({
  project: ProjectView,
  adoptedTakes: z.int(),
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

/** More of them than these are counted only. */
export const MOST_LEFT_OUT = 100;
