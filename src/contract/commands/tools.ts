import * as z from 'zod';
import { Described, DescribeRequest } from '../tool.ts';
import { Indexed, IndexRequest, MeaningSearch, Nearest } from '../tool.ts';
import { Rewritten, RewriteRequest, Scripted, ScriptRequest } from '../tool.ts';
import { Findings, ReadPageRequest, SearchRequest } from '../tool.ts';
import { command, Id } from './command.ts';

/** A billable call. Its answer is kept until `used` is called: a lost window loses nothing that was paid for. */
const call = { bare: true, spends: true } as const;
const ofProject = { ...call, touches: 'project' } as const;
/** What becomes of an answer that was paid for before. */
const ofCall = {
  input: z.object({ callId: Id }),
  output: z.void(),
  bare: true,
  touches: 'nothing',
  refusesItself: true,
} as const;

export const toolCommands = {
  rewrite: command({ ...ofProject, input: RewriteRequest, output: Rewritten, label: 'command.rewritePrompts' }),
  shots: command({ ...ofProject, input: ScriptRequest, output: Scripted, label: 'tools.scriptToShots' }),
  search: command({ ...ofProject, input: SearchRequest, output: Findings, label: 'command.searchWeb' }),
  readPage: command({ ...ofProject, input: ReadPageRequest, output: Findings, label: 'command.readPage' }),
  describe: command({
    ...call,
    touches: 'files of takes',
    input: DescribeRequest,
    output: Described,
    files: 'picture.path',
    label: 'review.describePicture',
  }),
  /** One call of a hundred texts; called again while some are left. */
  index: command({ ...ofProject, input: IndexRequest, output: Indexed, label: 'command.indexTakes' }),
  nearest: command({ ...ofProject, input: MeaningSearch, output: Nearest, label: 'review.searchByMeaning' }),
  /** A proposal was accepted or declined: the same question is a new charge from now on. */
  used: command({ ...ofCall, label: 'command.useAnswer' }),
  dismiss: command({ ...ofCall, label: 'command.dismissCall' }),
};
