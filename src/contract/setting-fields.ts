import * as z from 'zod';
import { Settings } from './settings.ts';
import { GB, MB } from './units.ts';
import { pathSettings } from './kinds/index.ts';
import { VIDEO_ENTRY } from './kinds/video.ts';
import type { PlainKey } from './messages/message-for.ts';
import { messageFor, type Message, type Text } from './messages/message.ts';

export interface NumberRule {
  readonly min: number;
  /** The least value is not allowed itself: "more than 0". */
  readonly above?: boolean;
  /** Whole numbers only. */
  readonly whole?: boolean;
}

interface Choice {
  readonly value: string;
  readonly label: Text;
  readonly hint?: Text;
}

export type SettingField = {
  /** As `dailies config` has it: `concurrency.submit`. */
  readonly name: string;
  readonly label: Text;
  readonly help?: Text;
  readonly placeholder?: Text;
} & (
  | { readonly control: 'text' | 'code' | 'models' | 'switch' | 'folder' }
  | { readonly control: 'path'; readonly holds: string }
  | { readonly control: 'choice'; readonly choices: readonly Choice[] }
  | {
      readonly control: 'number';
      readonly rule: NumberRule;
      readonly unit?: Text;
      /** How many of the stored unit one shown unit is: 3 GB are 3 * 1000 ** 3 bytes. */
      readonly scale?: number;
    }
);

type Bounds = z.core.JSONSchema.JSONSchema;
const bounds: Bounds = z.toJSONSchema(Settings, { io: 'input', unrepresentable: 'any' });

type Words = readonly [label: PlainKey | Message, help?: PlainKey];

const inWords = ([label, help]: Words) => ({
  label: typeof label === 'string' ? messageFor(label) : label,
  ...(help !== undefined && { help: messageFor(help) }),
});

const hours = messageFor('settings.hours');
const minutes = messageFor('settings.minutes');
const seconds = messageFor('settings.seconds');

const number = (
  name: string,
  words: Words,
  { unit, scale, whole }: { readonly unit?: Text; readonly scale?: number; readonly whole?: true } = {},
): SettingField => ({
  ...{ name, ...inWords(words), control: 'number', rule: ruleFor(name, { scale, whole }) },
  ...(unit !== undefined && { unit }),
  ...(scale !== undefined && { scale }),
});

/** What `Settings` asks of a number, in the unit that is shown. */
function ruleFor(
  name: string,
  { scale = 1, whole = false }: { readonly scale: number | undefined; readonly whole: boolean | undefined },
): NumberRule {
  const { minimum, exclusiveMinimum, type } = name
    .split('.')
    .reduce((at, part) => at.properties?.[part] as Bounds, bounds);
  if (whole || type === 'integer') return { min: minimum ?? Number(exclusiveMinimum) + 1, whole: true };
  if (minimum !== undefined) return { min: minimum / scale };
  return { min: Number(exclusiveMinimum) / scale, above: true };
}

const choice = (
  name: string,
  words: Words,
  choices: readonly (readonly [value: string, label: Text, hint?: Text])[],
): SettingField => ({
  ...{ name, ...inWords(words), control: 'choice' },
  choices: choices.map(([value, label, hint]) => ({ value, label, ...(hint !== undefined && { hint }) })),
});

const code = (name: string, words: Words): SettingField => ({
  ...{ name, ...inWords(words), control: 'code' },
});

/** `usual`: where it is while none is set. */
const folder = (name: string, words: Words, usual: PlainKey): SettingField => ({
  ...{ name, ...inWords(words), control: 'folder', placeholder: messageFor(usual) },
});

const onOff = (name: string, ...words: Words): SettingField => ({
  ...{ name, control: 'switch', ...inWords(words) },
});

const limitsFor = (step: 'submit' | 'poll' | 'download', words: PlainKey) => {
  const label = (limit: PlainKey) =>
    messageFor('common.namedValue', { name: messageFor(words), value: messageFor(limit) });
  return [
    number(`concurrency.${step}`, [label('settings.maxConcurrent')], { whole: true }),
    number(`maxRate.${step}`, [label('settings.maxPerSecond')]),
  ];
};

export const settingFields = {
  submit: limitsFor('submit', 'settings.sending'),
  poll: limitsFor('poll', 'settings.checking'),
  download: limitsFor('download', 'settings.downloading'),
  times: [
    number('deadlineHours', ['settings.taskDeadline', 'settings.taskDeadlineHelp'], { unit: hours }),
    number('assetDeadlineMinutes', ['settings.assetDeadline', 'settings.assetDeadlineHelp'], { unit: minutes }),
    number('modelPauseMinutes', ['settings.modelPause', 'settings.modelPauseHelp'], { unit: minutes }),
    number('submitTimeoutSeconds', ['settings.submitTimeout', 'settings.submitTimeoutHelp'], { unit: seconds }),
    number('answerTimeoutSeconds', ['settings.answerTimeout', 'settings.answerTimeoutHelp'], { unit: seconds }),
  ],
  sizes: [
    number('minFreeBytes', ['settings.keepFree', 'settings.keepFreeHelp'], { unit: 'MB', scale: MB }),
    number('maxDownloadBytes', ['settings.largestFile'], { unit: 'GB', scale: GB }),
  ],
  folders: [
    folder('projectsFolder', ['settings.newProjects', 'settings.newProjectsHelp'], 'window.notSet'),
    folder('selectsFolder', ['settings.exportedSelects', 'settings.exportedSelectsHelp'], 'settings.projectFolder'),
  ],
  system: [onOff('messages.system', 'settings.messageSystemSwitch')],
  webhook: [code('messages.webhook.url', ['settings.messageWebhook'])],
  ntfy: [{ ...code('messages.ntfy.url', ['settings.messageNtfy']), placeholder: 'https://ntfy.example/topic' }],
  slack: [onOff('messages.slack', messageFor('settings.messageSendTo', { channel: 'Slack' }))],
  discord: [onOff('messages.discord', messageFor('settings.messageSendTo', { channel: 'Discord' }))],
  heartbeat: [
    code('messages.heartbeat.url', ['settings.messageHeartbeatAddress', 'settings.messageHeartbeatHelp']),
    number('messages.heartbeat.minutes', ['settings.messageHeartbeatEvery'], {
      unit: messageFor('common.unitMinutes'),
    }),
  ],
  mail: [
    code('messages.mail.host', ['settings.messageMailHost']),
    number('messages.mail.port', ['settings.messageMailPort']),
    onOff('messages.mail.secure', 'settings.messageMailSecure', 'settings.messageMailSecureHelp'),
    { name: 'messages.mail.user', control: 'text', label: messageFor('settings.messageMailUser') },
    { name: 'messages.mail.from', control: 'text', label: messageFor('settings.messageMailFrom') },
    { name: 'messages.mail.to', control: 'text', label: messageFor('settings.messageMailTo') },
  ],
  details: [onOff('messages.details', 'settings.messageDetails', 'settings.messageDetailsHelp')],
  keepRunning: [onOff('keepRunning', 'settings.keepRunning', 'settings.keepRunningHelp')],
  updates: [onOff('lookForUpdates', 'settings.updates', 'settings.updatesHelp')],
  openPaths: [
    choice(
      'videoRoute',
      ['settings.videoRoute'],
      [
        ['v1', VIDEO_ENTRY, messageFor('settings.recommended')],
        ['compatible', messageFor('settings.compatibleRoute'), 'content[]'],
      ],
    ),
    ...pathSettings.map(({ name, label, default: assumed, holds = '' }): SettingField => ({
      ...{ name: `paths.${name}`, label, control: 'path', holds },
      help: assumed === '' ? messageFor('settings.pathMissing') : messageFor('settings.pathAssumed', { path: assumed }),
    })),
  ],
  assumed: [
    choice(
      'assumed.imageEntry',
      ['settings.imageEntry', 'settings.imageEntryHelp'],
      [
        ['auto', messageFor('settings.automatic')],
        ['asynchronous', messageFor('settings.asynchronous')],
        ['synchronous', messageFor('settings.synchronous')],
      ],
    ),
    choice(
      'assumed.uploadForm',
      ['settings.uploadForm', 'settings.uploadFormHelp'],
      [
        ['needed', messageFor('settings.uploadFormNeeded')],
        ['shown', messageFor('settings.uploadFormShown')],
        ['all', messageFor('common.all')],
      ],
    ),
    choice(
      'assumed.inlineImages',
      ['settings.inlineImages'],
      [
        ['data_url', messageFor('settings.asDataUrls'), 'data:image/png;base64,…'],
        ['base64', messageFor('settings.asBase64')],
      ],
    ),
    choice(
      'assumed.fractionalSeconds',
      ['settings.fractions'],
      [
        ['refused', messageFor('settings.fractionsRefused')],
        ['text', messageFor('settings.fractionsText'), '"4.5"'],
        ['number', messageFor('settings.fractionsNumber'), '4.5'],
      ],
    ),
    code('assumed.voiceField', ['settings.voiceField', 'settings.voiceFieldHelp']),
    code('assumed.authorizationField', ['settings.authorizationField', 'settings.authorizationFieldHelp']),
    {
      ...{ name: 'assumed.sgModels', control: 'models', label: messageFor('settings.sgModels') },
      help: messageFor('settings.sgModelsHelp'),
    },
    {
      ...{ name: 'assumed.sidesOf16Models', control: 'models', label: messageFor('settings.sidesOf16') },
      help: messageFor('settings.sidesOf16Help'),
    },
  ],
  language: [
    // Each by its own name, so that a person finds theirs from any language.
    choice(
      'language',
      ['settings.language'],
      [
        ['system', messageFor('settings.system')],
        ['en', 'English'],
        ['zh-CN', '简体中文'],
      ],
    ),
  ],
} satisfies Readonly<Record<string, readonly SettingField[]>>;
