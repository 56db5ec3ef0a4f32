import * as z from 'zod';
import { UploadReport } from '../asset.ts';
import { Clipping, WebFinding } from '../tool.ts';
import { command, Id } from './command.ts';

export const clippingCommands = {
  keep: command({
    input: z.object({ projectId: Id, askedFor: z.string().max(4096), finding: WebFinding }),
    output: Clipping,
    touches: 'project',
    commits: 'own',
    shows: 'project',
    label: 'command.keepClipping',
  }),
  remove: command({
    input: z.object({ projectId: Id, id: Id }),
    touches: 'project',
    commits: 'own',
    shows: 'project',
    label: 'command.removeClipping',
  }),
  restore: command({
    input: z.object({ projectId: Id, clipping: Clipping }),
    touches: 'project',
    commits: 'own',
    shows: 'project',
    label: 'command.restoreClipping',
  }),
  /** The engine fetches a picture that a finding names, by the rules that results have, and brings it into the library. */
  picture: command({
    input: z.object({ projectId: Id, url: z.string().max(4096) }),
    output: UploadReport,
    touches: 'project',
    commits: 'own',
    label: 'command.keepPicture',
  }),
};
