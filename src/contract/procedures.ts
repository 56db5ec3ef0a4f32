import { eventIterator, oc } from '@orpc/contract';
import * as z from 'zod';
import { AssetFilter, AssetUse, LibraryAsset, LibraryGroup, Readiness, TakeAsset } from './asset.ts';
import {
  BatchView,
  DraftDefect,
  DraftRows,
  DraftView,
  Estimate,
  MAX_NAMED,
  NextWait,
  ShotCells,
  ShownShot,
  Stage,
  StartPlan,
} from './batch.ts';
import { Done, type Command } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { Cut, CutSummary, StoredCut } from './cut.ts';
import {
  DesktopAbilities,
  DesktopEvent,
  DiagnosticsExtent,
  FolderRequest,
  MenuCommand,
  UpdateChoice,
} from './desktop.ts';
import { Changes, QueueView } from './events.ts';
import { Counts, JobView, Standing, Wait, WantedFrame } from './job.ts';
import { HistoryLine, HistoryRequest } from './history.ts';
import { KitOptions } from './kit.ts';
import { Kind, Capabilities } from './kinds/kind.ts';
import {
  MeaningScope,
  MeaningStatus,
  CallPrice,
  CallsToPrice,
  OpenCall,
  Rewritten,
  Scripted,
  ClippingPage,
  CLIPPINGS_A_PAGE,
} from './tool.ts';
import { Preset, PromptVariable } from './prompt-library.ts';
import { FolderListing, OpenedProjectView, ProjectView, VerifyNews } from './project.ts';
import { ProjectFacts } from './project-facts.ts';
import { WindowPlace } from './place.ts';
import { Refused, REFUSED_STATUS } from './failure.ts';
import {
  RefreshPlan,
  ExportProgress,
  MAX_CARRIED,
  MorePlan,
  MoreTakes,
  NewTake,
  TakeDetails,
  TakeFilter,
  TakeGroup,
  TakePage,
  FlagCounts,
  TonightTakes,
  UsedTag,
  SavedView,
} from './review.ts';
import {
  CapState,
  LedgerTotals,
  SpentBy,
  SpentGroup,
  AtStake,
  Spending,
  Statistics,
  StatisticsPeriod,
} from './ledger.ts';
import { ListToRun, RunProgressEvent, RunScope } from './run.ts';
import { MAX_NAME } from './units.ts';
import { WindowState } from './night-window.ts';
import { Price, Settings, SettingsChange } from './settings.ts';
import { BudgetLimit, BudgetScope, DeclaredDead, StudioChange, StudioToJoin, StudioView } from './studio.ts';
import { ReelReview, ReviewPlan } from './reel-review.ts';
import { Timeline } from './timeline.ts';
import { TrashPlan, TrashSize } from './trash.ts';
import { Text } from './messages/message.ts';
import { MessageChannel, SecretChannel, SecretSource } from './night-messages.ts';
import { NewReport } from './night-report.ts';

/** A mistake that a person can correct. `details` never holds a key or a signed address. */
const base = oc.errors({
  REFUSED: {
    status: REFUSED_STATUS,
    message: 'This is not possible now.',
    data: Refused,
  },
});

const id = z.string().min(1).max(200);
const ids = z.array(id).min(1).max(20_000);
const keepOthers = z.boolean().default(false);
const cutName = z.string().min(1).max(MAX_NAME);
const window = { start: z.int().min(0), count: z.int().min(1).max(5000) };

export const KeyState = z.object({
  present: z.boolean(),
  /** Where it comes from; the key itself never leaves the engine's process. */
  from: z.enum(['environment', 'keychain', 'file', 'none']),
  /** The address it was set for, when that is another than the one set now: then it is not used. */
  keptFor: z.string().optional(),
});

const statisticsWanted = z.object({ projectId: id.optional(), from: z.number().optional(), period: StatisticsPeriod });

/** Null: the first account. */
const ofAccount = { accountId: z.string().max(40).nullable().default(null) };

/** Whose library: of the service a project is on; without one, of the service of the settings. */
const ofProject = { projectId: id.optional() };

type Output<Each extends Command> = Each extends { output: infer Result extends z.ZodType }
  ? Each extends { bare: true }
    ? Result
    : z.ZodNullable<z.ZodType<Done & { readonly result: z.output<Result> }>>
  : z.ZodNullable<typeof Done>;

const toProcedure = <Each extends Command>({ input, output, bare }: Each) => {
  const done = (output ? Done.extend({ result: output }) : Done).nullable();
  return base.input(input as Each['input']).output((bare && output ? output : done) as unknown as Output<Each>);
};

/** A procedure for each command; null where there was nothing to change. */
function toProcedures<Table extends Readonly<Record<string, Command>>>(table: Table) {
  return Object.fromEntries(Object.entries(table).map(([verb, each]) => [verb, toProcedure(each)])) as {
    readonly [Verb in keyof Table]: ReturnType<typeof toProcedure<Table[Verb]>>;
  };
}

/** Every call and event stream of the product, once. Both hosts serve these; the renderer and tests call them. */
export const contract = {
  commands: {
    /** Takes back what a command has done. Refused where something else has changed the same since. */
    undo: base.input(z.object({ token: id })).output(Done),
  },
  agents: toProcedures(commands.agents),
  projects: {
    list: base.output(z.array(ProjectView)),
    archived: base.output(z.array(ProjectView)),
    ...toProcedures(commands.projects),
    facts: base.input(z.object({ projectId: id })).output(ProjectFacts),
    history: base.input(HistoryRequest).output(z.array(HistoryLine)),
    /** Copies all of a project into a folder, or into a zip archive there, with a list of checksums. Ending the subscription stops it. */
    export: base
      .input(z.object({ projectId: id, folder: z.string().min(1).max(4096), zip: z.boolean().default(false) }))
      .output(eventIterator(ExportProgress)),
    /** Reads the files of all takes and says which are not as they were saved. Ending the subscription stops it. */
    verify: base.input(z.object({ projectId: id })).output(eventIterator(VerifyNews)),
    /** The sample project on the demo service, made at the first call and started at once; needs no key. */
    sample: base.output(OpenedProjectView),
  },
  folders: {
    /** For the folder chooser; without a path, the person's home folder. */
    list: base.input(z.object({ path: z.string().max(4096).optional() })).output(FolderListing),
    create: base
      .input(z.object({ parent: z.string().max(4096), name: z.string().min(1).max(200) }))
      .output(FolderListing),
  },
  drafts: {
    ...toProcedures(commands.drafts),
    list: base.input(z.object({ projectId: id })).output(z.array(DraftView)),
    get: base.input(z.object({ draftId: id })).output(DraftView),
    rows: base.input(z.object({ draftId: id, ...window })).output(DraftRows),
    /** `again`: checks once more, though nothing was edited. */
    defects: base
      .input(z.object({ draftId: id, again: z.boolean().default(false) }))
      .output(z.object({ revision: z.int(), defects: z.array(DraftDefect) })),
    /** The files that names after `Shot://` mean in the batch of its name, in their order; null where there is none yet. */
    shots: base
      .input(z.object({ draftId: id, names: z.array(z.string().max(1000)).max(MAX_NAMED) }))
      .output(z.array(ShownShot.nullable())),
    /** What starting it would do; writes nothing. Refused while a defect is open. */
    plan: base
      .input(z.object({ draftId: id, name: z.string().min(1).max(200), again: z.boolean(), keepOthers }))
      .output(StartPlan),
    /** The estimate for one shot, by its cells by column; null while they make no shot. Writes nothing. */
    estimate: base.input(z.object({ projectId: id, cells: ShotCells })).output(Estimate.nullable()),
    /** The list as CSV, as it would be read again. */
    save: base.input(z.object({ draftId: id })).output(z.object({ fileName: z.string(), text: z.string() })),
    template: base.input(z.object({ kind: Kind })).output(z.object({ fileName: z.string(), text: z.string() })),
  },
  batches: {
    list: base.input(z.object({ projectId: id })).output(z.array(BatchView)),
    /** Its chain; empty where no row refers to another. */
    stages: base.input(z.object({ batchId: id })).output(z.array(Stage)),
    /** A person's own list with columns for the status of its shots, and nothing else changed. Content in base64. */
    withStatus: base
      .input(z.object({ batchId: id, name: z.string().max(500), content: z.string().max(300_000_000) }))
      .output(z.object({ content: z.string(), rows: z.int(), found: z.int() })),
    ...toProcedures(commands.batches),
  },
  /**
   * For commands that share a running engine: the same work as with an engine of their own, reported change by change.
   */
  runs: {
    /** Stores a list of this machine as a batch and reports its takes. Refused when it has errors. */
    start: base.input(ListToRun).output(eventIterator(RunProgressEvent)),
    /** The same for batches that were stored before. */
    follow: base.input(RunScope).output(eventIterator(RunProgressEvent)),
  },
  jobs: {
    list: base
      .input(
        z.object({
          projectId: id.optional(),
          batchId: id.optional(),
          standing: Standing.optional(),
          ...window,
        }),
      )
      .output(z.object({ total: z.int(), jobs: z.array(JobView), counts: Counts })),
    get: base.input(z.object({ jobId: id })).output(JobView),
    /** Frames that rows wait for: a window that can read films gives them, see `/frame`. */
    wantedFrames: base.output(z.array(WantedFrame)),
    /** What a person has to do first, of all that rows wait for, in the order of the lists. */
    nextWaits: base
      .input(z.object({ ...{ projectId: id.optional(), wait: Wait.optional() }, count: z.int().min(1).max(100) }))
      .output(z.array(NextWait)),
    ...toProcedures(commands.jobs),
  },
  queue: {
    view: base.output(QueueView),
    ...toProcedures(commands.queue),
  },
  takes: {
    list: base.input(TakeFilter.extend(window)).output(TakePage),
    ids: base.input(TakeFilter).output(z.array(z.string())),
    groups: base.input(TakeFilter).output(z.array(TakeGroup)),
    /** Counts by flag, whatever flag the filter has. */
    tally: base.input(TakeFilter.omit({ flag: true, sort: true, group: true })).output(FlagCounts),
    details: base.input(z.object({ takeId: id })).output(TakeDetails),
    models: base.input(z.object({ projectId: id })).output(z.array(z.string())),
    columns: base.input(z.object({ projectId: id })).output(z.array(z.string())),
    tags: base.input(z.object({ projectId: id })).output(z.array(UsedTag)),
    tonight: base.input(z.object({ projectId: id })).output(TonightTakes),
    ...toProcedures(commands.takes),
    /** What such a take would cost; queues nothing. Refused with the defects when a change does not fit. */
    estimate: base.input(NewTake).output(Estimate),
    /** What `again` would make, and its price; queues nothing. */
    refreshPlan: base.input(z.object({ ids })).output(RefreshPlan),
    /** The same of several takes; those that were made like this before are left out where that is asked for. */
    planMore: base.input(MoreTakes).output(MorePlan),
    /** The cost of the takes of a project, or of one of its batches, so far; null without prices. */
    spent: base.input(z.object({ projectId: id, batchId: id.optional() })).output(Spending.nullable()),
    atStake: base.input(z.object({ ids })).output(AtStake),
    /** What the review of a reel would change in its project; changes nothing. Refused for that of another project. */
    planReview: base.input(z.object({ projectId: id, review: ReelReview })).output(ReviewPlan),
    trashPlan: base.input(z.object({ ids })).output(TrashPlan),
    trashSize: base.input(z.object({ projectId: id })).output(TrashSize),
    /** Copies the files of takes, with their names and a CSV, into a folder. Ending the subscription stops it. */
    export: base.input(z.object({ ids, folder: z.string().min(1).max(4096) })).output(eventIterator(ExportProgress)),
  },
  savedViews: {
    list: base.input(z.object({ projectId: id })).output(z.array(SavedView)),
    ...toProcedures(commands.savedViews),
  },
  /** Sound files of cuts are at `/music/<project id>/<sha256>`. */
  cuts: {
    list: base.input(z.object({ projectId: id })).output(z.array(CutSummary)),
    get: base.input(z.object({ projectId: id, name: cutName })).output(StoredCut),
    timeline: base.input(z.object({ projectId: id, name: cutName })).output(Timeline),
    /** The same for a cut that is not saved, or not yet. */
    layOut: base.input(z.object({ projectId: id, cut: Cut })).output(Timeline),
    /** A cut of the picks, which is not saved. */
    fromPicks: base.input(z.object({ projectId: id, name: cutName })).output(Cut),
    ...toProcedures(commands.cuts),
    /** Writes a cut and its files into a new folder for an editor. Ending the subscription stops it. */
    export: base
      .input(
        KitOptions.extend({
          ...{ projectId: id, name: cutName, folder: z.string().min(1).max(4096) },
          /** A folder for the kit is made in `folder`, by the name of the cut. */
          named: z.boolean().default(false),
        }),
      )
      .output(eventIterator(ExportProgress)),
    /** Makes a folder in `folder` with a page for a reviewer: of a cut, or of these takes. Ending the subscription stops it. */
    reel: base
      .input(z.object({ projectId: id, name: cutName, ids: ids.optional(), folder: z.string().min(1).max(4096) }))
      .output(eventIterator(ExportProgress)),
  },
  spending: {
    totals: base
      .input(z.object({ projectId: id.optional(), batchId: id.optional(), from: z.number().optional() }))
      .output(LedgerTotals),
    by: base
      .input(
        z.object({
          projectId: id.optional(),
          batchId: id.optional(),
          from: z.number().optional(),
          by: SpentBy,
          /** The groups that cost most, so many. */
          most: z.int().min(1).max(5000).default(5000),
        }),
      )
      .output(z.array(SpentGroup)),
    csv: base
      .input(z.object({ projectId: id.optional(), from: z.number().optional() }))
      .output(eventIterator(z.string())),
    statistics: base.input(statisticsWanted).output(Statistics),
    statisticsCsv: base.input(statisticsWanted).output(z.string()),
    /** When the present night began, ms. */
    night: base.output(z.object({ from: z.number() })),
    caps: base.output(z.array(CapState)),
    ...toProcedures(commands.spending),
  },
  windows: {
    list: base.output(z.array(WindowState)),
    ...toProcedures(commands.windows),
  },
  /** The library of a project, with what all projects share: a project's own goes first. */
  promptLibrary: {
    variables: base.input(z.object({ projectId: id.nullable() })).output(z.array(PromptVariable)),
    presets: base.input(z.object({ projectId: id.nullable() })).output(z.array(Preset)),
    ...toProcedures(commands.promptLibrary),
  },
  places: {
    /** Null before the first one. */
    last: base.output(WindowPlace.nullable()),
    keep: base.input(WindowPlace).output(z.void()),
  },
  /** Reports of nights. The page of a report is at `/report/<project id>/<begin of the night, ms>`. */
  nights: {
    /** The last night of each project that is over or needs a person, and whose report no one has opened, the newest first. */
    unseen: base.output(z.array(NewReport)),
    ...toProcedures(commands.nights),
    /** Writes the page into the project and shows it in the file manager. Refused when the folder cannot be written. */
    reveal: base.input(z.object({ projectId: id, night: z.number() })).output(z.void()),
  },
  /**
   * The asset library. Files are brought in by `PUT /upload?name=…` with the fields of `UploadTarget` as parameters and
   * the file as body; the answer is an `UploadReport`. Their pictures are at `/asset/<asset id>` and `/asset-thumb/…?w=`.
   */
  library: {
    groups: base.input(z.object(ofProject)).output(z.array(LibraryGroup)),
    ...toProcedures(commands.library),
    assets: base
      .input(AssetFilter.extend({ ...ofProject, ...window }))
      .output(z.object({ total: z.int(), assets: z.array(LibraryAsset) })),
    asset: base.input(z.object({ ...ofProject, assetId: id })).output(LibraryAsset),
    /** Waits until each asset is ready, useless, or past the deadline of the settings. */
    untilReady: base
      .input(z.object({ ...ofProject, assetIds: z.array(id).max(20_000) }))
      .output(z.record(z.string(), Readiness)),
    /** When that last went through, ms; null when it has not since Dailies was started. */
    syncedAt: base.input(z.object(ofProject)).output(z.number().nullable()),
    whereUsed: base.input(z.object({ assetId: id })).output(z.array(AssetUse)),
    usedBy: base.input(z.object({ takeId: id })).output(z.array(TakeAsset)),
  },
  tools: {
    ...toProcedures(commands.tools),
    price: base.input(CallsToPrice).output(CallPrice),
    open: base.input(z.object({ projectId: id })).output(z.array(OpenCall)),
    /** The kept answer of one of them. Sends nothing; refused when it was used or declined. */
    reopen: base.input(z.object({ callId: id })).output(z.union([Rewritten, Scripted])),
    meaningStatus: base.input(MeaningScope).output(MeaningStatus),
  },
  clippings: {
    list: base.input(z.object({ projectId: id, limit: z.int().min(1).default(CLIPPINGS_A_PAGE) })).output(ClippingPage),
    ...toProcedures(commands.clippings),
    /** Fetches a picture that a finding names, and answers its hash: it is small at `/web-picture/<hash>` then. */
    look: base.input(z.object({ projectId: id, url: z.string().max(4096) })).output(z.object({ sha256: z.string() })),
  },
  settings: {
    get: base.output(
      z.object({
        settings: Settings,
        key: KeyState,
        /** The way to the address is not encrypted and leaves this network: the key could be read on it. */
        exposed: z.boolean(),
        /** The same of the accounts beside the first. */
        accounts: z.array(z.object({ id: z.string(), key: KeyState, exposed: z.boolean() })),
        dataFolder: z.string(),
        version: z.string(),
      }),
    ),
    /**
     * Changes the given settings. Address, limits and rates apply from the next request on. Accounts are changed and added
     * by their ids; those that are left out stay.
     */
    update: base.input(SettingsChange).output(Settings),
    /** Removes an account with its key. Refused while a project uses it, or a task that it was sent with is followed. */
    removeAccount: base.input(z.object({ accountId: z.string().max(40) })).output(Settings),
    /** Stores the key in the system keychain, or in a 0600 file when `allowFile` says so and there is no keychain. */
    setKey: base
      .input(z.object({ ...ofAccount, key: z.string().min(1).max(10_000), allowFile: z.boolean() }))
      .output(KeyState),
    /** Forgets the key wherever it is kept. Refused where it comes from the environment. */
    forgetKey: base.input(z.object(ofAccount).prefault({})).output(KeyState),
    /** Whether this is the key in use, for a command that has one of its own; a fingerprint gives no key away. */
    isKey: base.input(z.object({ ...ofAccount, fingerprint: z.string().max(100) })).output(z.boolean()),
    /** Asks the service for its models: nothing billable. `address` is the one that it asked. */
    test: base
      .input(z.object(ofAccount).prefault({}))
      .output(
        z.object({ ok: z.boolean(), message: Text, remedy: Text, models: z.array(z.string()), address: z.string() }),
      ),
    /** The models of the account when it can be asked, else the ones the reference names. */
    models: base
      .input(z.object({ ...ofProject, ...ofAccount }).prefault({}))
      .output(
        z.array(
          z.object({ id: z.string(), kind: Kind.nullable(), ofAccount: z.boolean(), listed: Capabilities.optional() }),
        ),
      ),
    exampleName: base
      .input(z.object({ template: z.string().max(500) }))
      .output(z.object({ names: z.array(z.string()), warning: Text.nullable() })),
    prices: base.output(z.array(Price)),
  },
  messages: {
    /** Where the secret of each channel comes from; the secrets themselves never leave the engine's process. */
    secrets: base.output(z.record(SecretChannel, SecretSource)),
    /** Stores a secret in the system keychain, or removes it (null). Refused where it comes from the environment. */
    storeSecret: base
      .input(z.object({ channel: SecretChannel, secret: z.string().min(1).max(10_000).nullable() }))
      .output(z.void()),
    /** Sends a test message on one channel, waiting ten seconds at most. */
    test: base
      .input(z.object({ channel: MessageChannel }))
      .output(z.object({ ok: z.boolean(), message: Text, remedy: Text })),
  },
  /** The studio that this data folder belongs to. */
  studio: {
    /** Null where it has joined none. `hostName`: what this machine is called. */
    get: base.output(z.object({ hostName: z.string(), studio: StudioView.nullable() })),
    /** Its address goes to the data folder, its password to the keychain. Again: a machine declared dead works on. */
    join: base.input(StudioToJoin).output(z.void()),
    change: base.input(StudioChange).output(z.void()),
    /** Refused while takes of the studio are under way here. */
    leave: base.output(z.void()),
    /** For its admin, like the two below. */
    setBudget: base.input(z.object({ scope: BudgetScope, limit: BudgetLimit })).output(z.void()),
    declareDead: base.input(z.object({ machine: z.string().min(1).max(200) })).output(DeclaredDead),
    /** Ends the halt after a restore; refused while machines have not said what they know. */
    reconcile: base.output(z.void()),
  },
  /**
   * What the program around the window does for it. Files are named by take or project, never by path; `abilities` says
   * what a host cannot do, and such a call is refused.
   */
  desktop: {
    abilities: base.output(DesktopAbilities),
    /** The folder a person chooses in the system's own dialogue; null when they choose none. */
    pickFolder: base.input(FolderRequest).output(z.object({ path: z.string() }).nullable()),
    reveal: base.input(z.object({ takeId: id, output: z.int().min(1).default(1) })).output(z.void()),
    revealFolder: base.input(z.object({ projectId: id, batchId: id.optional() })).output(z.void()),
    /** Absolute paths of the files of takes, for people to copy. */
    paths: base
      .input(z.object({ ids: z.array(id).min(1).max(MAX_CARRIED) }))
      .output(z.object({ paths: z.array(z.string()) })),
    /** Lets the person carry the files of takes out of the window. Called while the mouse is down. */
    prepareDrag: base
      .input(z.object({ ids: z.array(id).min(1).max(MAX_CARRIED) }))
      .output(z.object({ drag: z.string() })),
    menu: base.input(z.object({ commands: z.array(MenuCommand).max(2000) })).output(z.void()),
    update: base.input(z.object({ choice: UpdateChoice })).output(z.void()),
    /** What helps to find a fault: versions, settings, counts, the end of the log. Without keys and signed addresses. */
    diagnostics: base
      .input(z.object({ extent: DiagnosticsExtent }).optional())
      .output(z.object({ fileName: z.string(), text: z.string() })),
    events: base.output(eventIterator(DesktopEvent)),
  },
  events: {
    /** Changes, gathered and coalesced. Starts with a `resync`, after which the caller reads again what it shows. */
    changes: base.output(eventIterator(Changes)),
  },
};
export type Contract = typeof contract;
