import { eventIterator, oc } from '@orpc/contract';
import * as z from 'zod';

export const DesktopAbilities = z.object({
  host: z.enum(['app', 'browser']),
  system: z.enum(['macos', 'windows', 'linux']),
  pickFolder: z.boolean(),
  dragOut: z.boolean(),
  updates: z.boolean(),
  keepRunning: z.boolean(),
});
export type DesktopAbilities = z.infer<typeof DesktopAbilities>;

export const FolderRequest = z.object({
  title: z.string().max(500),
  action: z.string().max(100).optional(),
  /** Folder to begin with, absolute. */
  start: z.string().max(4096).optional(),
});
export type FolderRequest = z.infer<typeof FolderRequest>;

export const MenuCommand = z.object({
  id: z.string().min(1).max(200),
  title: z.string().max(500),
  group: z.string().max(100),
  /** In tinykeys' notation: `$mod+k`, `g p`. */
  keys: z.string().max(100).optional(),
  enabled: z.boolean(),
});
export type MenuCommand = z.infer<typeof MenuCommand>;

export const UpdateState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('none') }),
  z.object({ state: z.literal('fetching'), version: z.string(), percent: z.number() }),
  /** It is downloaded, and replaces this one when the app restarts. */
  z.object({ state: z.literal('ready'), version: z.string() }),
  /** The app restarts as soon as the queue is idle. */
  z.object({ state: z.literal('awaited'), version: z.string() }),
]);
export type UpdateState = z.infer<typeof UpdateState>;

/** When a downloaded version is installed: as soon as the queue is idle, or at the next start by the person. */
export const UpdateChoice = z.enum(['when_idle', 'later']);
export type UpdateChoice = z.infer<typeof UpdateChoice>;

export const DesktopEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), id: z.string() }),
  /** A shot list, the folder of a project, or a folder that is none yet, was opened from outside. Absolute. */
  z.object({ type: z.literal('open'), what: z.enum(['list', 'project', 'folder']), path: z.string() }),
  /** A click on a notification: opens a view. `detail` is the view's part of the address. */
  z.object({
    type: z.literal('show'),
    view: z.enum(['queue', 'review']),
    projectId: z.string().nullable(),
    detail: z.record(z.string(), z.string()),
  }),
  z.object({ type: z.literal('update'), update: UpdateState }),
]);
export type DesktopEvent = z.infer<typeof DesktopEvent>;

export const PowerState = z.object({
  /** False while nothing needs it to be awake; null when something does and it is not known to be kept so. */
  keepsAwake: z.boolean().nullable(),
  /** False also where that cannot be told. */
  onBattery: z.boolean(),
});
export type PowerState = z.infer<typeof PowerState>;

/** How much diagnostics tell: `short` names no project, setting or take, and of the logs only which errors there were. */
export const DiagnosticsExtent = z.enum(['whole', 'short']);
export type DiagnosticsExtent = z.infer<typeof DiagnosticsExtent>;

export const PowerEvent = z.enum(['suspend', 'wake']);
export type PowerEvent = z.infer<typeof PowerEvent>;

const path = z.string().min(1).max(4096);

/**
 * What only the app's main process can do, as the engine's process asks it. Not for windows: they name takes and
 * projects, and the paths here are those of files that the engine has found in its projects.
 */
export const shellContract = {
  abilities: oc.output(DesktopAbilities),
  pickFolder: oc.input(FolderRequest).output(z.object({ path: z.string() }).nullable()),
  reveal: oc.input(z.object({ path })).output(z.void()),
  prepareDrag: oc.input(z.object({ files: z.tuple([path], path) })).output(z.object({ drag: z.string() })),
  menu: oc.input(z.object({ commands: z.array(MenuCommand) })).output(z.void()),
  update: oc.input(z.object({ choice: UpdateChoice })).output(z.void()),
  /** Shows a notification of the system, unless the person looks at the window. */
  notify: oc.input(z.object({ title: z.string().max(500), text: z.string().max(5000) })).output(z.void()),
  powerState: oc.output(PowerState),
  /** What only main knows of where the app runs, as lines of the diagnostics. */
  facts: oc.output(z.array(z.string())),
  /** The system's proxies for an origin, as the result of a PAC script; empty where it cannot say. */
  resolveProxy: oc.input(z.object({ origin: z.string().max(4096) })).output(z.string()),
  /** Starts with the state of updates. Events that came while no window listened go to the next one. */
  events: oc.output(eventIterator(DesktopEvent)),
  power: oc.output(eventIterator(PowerEvent)),
};
export type ShellContract = typeof shellContract;
