import * as z from 'zod';
import { AssetGroup, SyncReport, UploadReport, UploadTarget } from '../asset.ts';
import { command, Id } from './command.ts';

/** Whose library: of the service a project is on; without one, of the service of the settings. */
const ofProject = { projectId: Id.optional() };
/** Nothing of a project is changed. */
const ofNone = { touches: 'nothing', refusesItself: 'a project says no more than whose library it is' } as const;
const OWN_LIST = 'the library keeps its own dated list';
const name = z.string().min(1).max(500);
const description = z.string().max(5000).optional();

export const libraryCommands = {
  createGroup: command({
    input: z.object({ ...ofProject, name, description }),
    output: AssetGroup,
    ...{ ...ofNone, commits: 'own', log: 'group.created', label: 'library.createGroup' },
  }),
  renameGroup: command({
    input: z.object({ ...ofProject, groupId: Id, name: name.optional(), description }),
    output: AssetGroup,
    ...{ ...ofNone, commits: 'own', log: 'group.renamed', label: 'library.renameGroup' },
  }),
  /** Brings in what lies at a public address; the service fetches it. */
  addUrl: command({
    input: z.object({ ...ofProject, url: z.string().max(4096), target: UploadTarget }),
    output: UploadReport,
    ...{ ...ofNone, bare: true, log: null, silent: OWN_LIST, label: 'library.addFromWeb' },
  }),
  /** Brings in files of this machine, by their absolute paths. One report a file, in their order. */
  uploadFiles: command({
    input: z.object({ ...ofProject, paths: z.array(z.string().min(1).max(4096)).min(1), target: UploadTarget }),
    output: z.array(UploadReport),
    ...{ ...ofNone, bare: true, log: null, silent: OWN_LIST, files: true, label: 'library.uploadFiles' },
  }),
  sync: command({
    input: z.object(ofProject),
    output: SyncReport,
    ...{ ...ofNone, bare: true, log: null, silent: OWN_LIST, label: 'library.syncWithService' },
  }),
  /** Takes an asset out of sight here, or shows it again. The service has no way to delete one. */
  hide: command({
    input: z.object({ ...ofProject, assetId: Id, hidden: z.boolean() }),
    ...{ ...ofNone, log: null, silent: 'the asset says so itself', label: 'library.hide' },
  }),
};
