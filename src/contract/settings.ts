import type { MessageKey } from './messages/message.ts';
import * as z from 'zod';
import { pathSettings } from './kinds/index.ts';
import type { PathSetting } from './kinds/spec.ts';
import { languages } from './messages/languages.ts';
import { NightEvent } from './night-messages.ts';
import { InlineForm } from './take.ts';

const perStep = (submit: number, poll: number, download: number) =>
  z.object({
    submit: z.number().positive().default(submit),
    poll: z.number().positive().default(poll),
    download: z.number().positive().default(download),
  });

const day = z.iso.date();

/** One line of the user's own price table: the reference shows no prices. */
export const Price = z.object({
  /** Model id, or its beginning followed by `*`. The first line that fits counts. */
  model: z.string().min(1),
  /** `call`: of a tool. `thousand_characters`: of the prompt. */
  per: z.enum(['take', 'output', 'second', 'thousand_characters', 'call']),
  price: z.number().nonnegative(),
  /** Only for requests with video input, or only for those without; both when absent. The service bills them differently. */
  videoInput: z.boolean().optional(),
  /** First and last day on which it is valid, `2026-11-23`; always when absent. */
  from: day.optional(),
  until: day.optional(),
});
export type Price = z.infer<typeof Price>;

/**
 * An account beside the first one, which the settings themselves describe: a key of its own, which is kept elsewhere, at
 * an address, with prices and limits. A project names one; see `contract/accounts.ts`.
 */
export const NamedAccount = z.object({
  /** Stays the same when the account is renamed. */
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  name: z.string().trim().min(1).max(80),
  baseUrl: z.string().min(1).max(4096),
  prices: z.array(Price).default([]),
  concurrency: perStep(4, 16, 6).prefault({}),
  maxRate: perStep(4, 20, 50).prefault({}),
});
export type NamedAccount = z.infer<typeof NamedAccount>;

/** Model ids, or shapes of them in which `*` is any text. */
const modelShapes = z.array(z.string().min(1).max(200)).max(100);

const broken = (rule: `failure.setting${string}` & MessageKey): string => rule;

/** Where messages go; empty: nowhere. Of http only to this machine or a private network, which the host checks. */
const receiver = z
  .string()
  .max(4096)
  .refine((url) => url === '' || /^https?:\/\/[^\s/@]+(?:\/\S*)?$/i.test(url), broken('failure.settingNotHttp'))
  .default('');

/** Messages to a person who is away, and where they go; see `docs/guide/night.md`. Secrets are never among them. */
const messages = z.object({
  events: z.array(NightEvent).max(100).default(NightEvent.options),
  /** Whether names of shots and batches, and the service's words, leave the machine. */
  details: z.boolean().default(false),
  /** Of the app: notifications of the system. */
  system: z.boolean().default(true),
  webhook: z.object({ url: receiver }).prefault({}),
  /** Its path ends with the topic. */
  ntfy: z.object({ url: receiver }).prefault({}),
  /** The addresses of these two are secrets. */
  slack: z.boolean().default(false),
  discord: z.boolean().default(false),
  mail: z
    .object({
      host: z.string().max(253).default(''),
      port: z.int().min(1).max(65_535).default(587),
      /** TLS from the first byte; else by STARTTLS, without which only a private server is used. */
      secure: z.boolean().default(false),
      user: z.string().max(320).default(''),
      from: z.string().max(320).default(''),
      to: z.string().max(2000).default(''),
    })
    .prefault({}),
  /** Called regularly while the queue runs, so that another service notices when this machine dies. */
  heartbeat: z.object({ url: receiver, minutes: z.number().min(1).max(1440).default(5) }).prefault({}),
});

/** Empty: not set, which is a defect of each list that needs it. */
const pathIn = ({ default: usual, holds = '' }: PathSetting) =>
  z
    .string()
    .refine((path) => path === '' || path.startsWith('/'), broken('failure.settingNoSlash'))
    .refine(
      (path) => path === '' || path.includes(holds),
      broken(holds === '{action}' ? 'failure.settingNoAction' : 'failure.settingNoTaskId'),
    )
    .default(usual);

/** Settings that a person may change; kept as JSON in the data folder. The key is never among them. */
export const Settings = z.object({
  /** Address of the service, without the key: `https://host` or `https://host/prefix`. */
  baseUrl: z.string().default(''),
  /** What the account of these settings is called, where there are others. */
  accountName: z.string().trim().min(1).max(80).default('main'),
  accounts: z.array(NamedAccount).max(50).default([]),
  /** Files are named by this template; see `docs/reference/shot-lists.md`. */
  nameTemplate: z.string().min(1).default('{shot}_t{take}'),
  /** Folder that is proposed first for a project, absolute; empty: none, the dialogue begins where it likes. */
  projectsFolder: z.string().max(4096).default(''),
  /** Folder that is proposed first for exported selects, absolute; empty: that of the project. */
  selectsFolder: z.string().max(4096).default(''),
  concurrency: perStep(4, 16, 6).prefault({}),
  /** Requests a second at most, by step; the rate adapts below this on 429. */
  maxRate: perStep(4, 20, 50).prefault({}),
  /** How long a task may take before a person is asked, hours. */
  deadlineHours: z.number().positive().default(24),
  /** How long an uploaded file may take to become usable before its shots fail, minutes. */
  assetDeadlineMinutes: z.number().positive().default(30),
  /** How long the takes of a model wait after five equal failures in a row, minutes; twice as long each time, up to an hour. */
  modelPauseMinutes: z.number().positive().max(60).default(10),
  /** How long we wait for the answer to a submit before calling its fate unknown, seconds. Never short: it is paid for. */
  submitTimeoutSeconds: z.number().min(60).default(600),
  /** The same for operations whose answer is the result. */
  answerTimeoutSeconds: z.number().min(60).default(3600),
  /** One file larger than this is refused, bytes. */
  maxDownloadBytes: z
    .number()
    .positive()
    .default(8 * 1000 ** 3),
  /** Downloads and submits pause when the project's disk has less than this free, bytes. */
  minFreeBytes: z
    .number()
    .nonnegative()
    .default(256 * 1000 ** 2),
  /** Video entry: `v1` is the recommended one, `compatible` the `content[]` one. */
  videoRoute: z.enum(['v1', 'compatible']).default('v1'),
  /** Address that the service is to report to, for rows that name none; empty: none. Never waited for. */
  callbackUrl: z
    .string()
    .max(4096)
    .refine((url) => url === '' || /^https?:\/\/[^\s/]\S*$/i.test(url), broken('failure.settingNotHttp'))
    .default(''),
  messages: messages.prefault({}),
  prices: z.array(Price).default([]),
  /** Shown beside prices, as written: `USD`, `credits`. */
  currency: z.string().max(20).default(''),
  appearance: z.enum(['dark', 'light', 'system']).default('dark'),
  /** Language of every text; `system`: the person's system decides. */
  language: z.enum(['system', ...languages]).default('system'),
  keepRunning: z.boolean().default(false),
  lookForUpdates: z.boolean().default(true),
  /** Our assumptions where the reference is silent or ambiguous; see `docs/reference/service.md`. */
  assumed: z
    .object({
      /** Entry for images: `auto` begins with the asynchronous one and learns for each model whether it is there. */
      imageEntry: z.enum(['auto', 'asynchronous', 'synchronous']).default('auto'),
      /** Fields of a form with a file: those that the reference shows, those and the ones the shot needs, or all. */
      uploadForm: z.enum(['needed', 'shown', 'all']).default('needed'),
      /** What becomes of a duration that is no whole number: the reference shows an integer or a text. */
      fractionalSeconds: z.enum(['refused', 'text', 'number']).default('refused'),
      /** Field in which a digital human task names its authorization; empty: it is uploaded and not named. Not shown. */
      authorizationField: z.string().max(100).default('authorization_asset_id'),
      /** The same for its voice. */
      voiceField: z.string().max(100).default('voice_asset_id'),
      /** How a picture goes inside a JSON request: which texts base64Array takes is not shown. */
      inlineImages: InlineForm.default('data_url'),
      /** Models of the SG line, whose ids are not shown. */
      sgModels: modelShapes.default(['*-sg', '*-sg-*', 'sg-*']),
      /** The image models whose sides are multiples of 16, whose ids are not shown. */
      sidesOf16Models: modelShapes.default([]),
    })
    .prefault({}),
  /** Paths the reference leaves open, so that they can follow the service without a new release. Kinds name them. */
  paths: z.object(Object.fromEntries(pathSettings.map((path) => [path.name, pathIn(path)]))).prefault({}),
});
export type Settings = z.infer<typeof Settings>;

type Change<Group> = {
  [Name in keyof Group]?:
    | (Group[Name] extends readonly unknown[] | string | number | boolean ? Group[Name] : Change<Group[Name]>)
    | undefined;
};

/**
 * A change of settings; absent fields stay as they are. Not `Settings.partial()`, which would put in the default for
 * every absent field. `Settings` checks the values once the change is made, so that people get the messages written for
 * them.
 */
export type SettingsChange = Change<Settings>;
export const SettingsChange = toChange(Settings) as unknown as z.ZodType<SettingsChange>;

function toChange({ shape }: z.ZodObject): z.ZodObject {
  return z
    .object(Object.fromEntries(Object.entries(shape).map(([name, setting]) => [name, toValue(setting)])))
    .partial();
}

/** What may be sent for a setting: a value of its type. */
function toValue(setting: z.core.$ZodType): z.ZodType {
  if (setting instanceof z.ZodDefault || setting instanceof z.ZodPrefault) return toValue(setting.unwrap());
  if (setting instanceof z.ZodObject) return toChange(setting);
  if (setting instanceof z.ZodNumber) return z.number();
  if (setting instanceof z.ZodString) return z.string().max(4096);
  return setting as z.ZodType;
}

export const REQUEST_CLASSES = ['submit', 'poll', 'download', 'upload'] as const;

export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** What precedes the service's paths: `''` or `/prefix`; our paths contain the `/v1` of an address already. Pure. */
export function toPrefix(pathname: string): string {
  const parts = pathname.split('/');
  while (parts.at(-1) === '') parts.pop();
  if (parts.at(-1) === 'v1') parts.pop();
  return parts.join('/');
}
