import type { Json, JsonObject } from '../../../contract/json.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { videos } from '../../api/resources/requests.ts';
import type { Finding, KindDriver, KindRules, RequestContext, RuleContext, ShotDraft } from '../rules.ts';
import { error, errorsIn, pathIn, takesNo, warning, when } from '../rules.ts';
import {
  callbackFor,
  extraFieldName,
  extraFieldValue,
  presentFields,
  sentText,
  withExtraFields,
} from '../extra-fields.ts';
import {
  bareAlias,
  bareAssetId,
  namedMedia,
  readMediaReference,
  sentAddress,
  sentAddresses,
} from '../media-reference.ts';
import type { Settings } from '../../../contract/settings.ts';
import type { AssetRole } from '../../../contract/asset.ts';
import { videoSpec } from '../../../contract/kinds/video.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import { type DurationLimits, isOneOf } from '../../models/index.ts';
import * as z from 'zod';
import { isObject } from '../../api/answer.ts';

const mediaIn = ({ params }: ShotSpec, { assets }: RequestContext) => {
  const all = (column: string) => sentAddresses(params[column], assets);
  return { all, one: (column: string) => all(column)?.[0] };
};

const commonFields = ({ params }: ShotSpec) => ({
  mode: params.mode,
  image_source_mode: params.image_source_mode,
  avatar_asset_ids: Array.isArray(params.avatar_asset_ids) ? avatarIds(params.avatar_asset_ids) : undefined,
});

function recommendedBody(shot: ShotSpec, context: RequestContext): JsonObject {
  const { params } = shot;
  const { one, all } = mediaIn(shot, context);
  return presentFields({
    ...{ model: shot.model, prompt: sentText(shot.prompt), ...commonFields(shot) },
    image: one('image'),
    first_frame_url: one('first_frame'),
    last_frame_url: one('last_frame'),
    ...referenceImages(all('reference_images'), all('reference_voices')),
    input_reference: one('input_reference'),
    input_reference_role: params.input_reference_role,
    video_url: one('video'),
    videos: all('videos'),
    reference_video_urls: all('reference_videos'),
    audio_url: one('audio'),
    references: params.references === undefined ? undefined : references(params.references, context),
    duration: seconds(params.duration, context.settings),
    frames: params.frames,
    aspect_ratio: params.aspect_ratio,
    size: params.size,
    generate_audio: params.generate_audio,
    watermark: params.watermark,
    callback_url: callbackFor(shot, context.settings),
  });
}

/** Images without voices are a list of addresses; a voice is bound to the image at its place. */
function referenceImages(images?: string[], voices?: string[]) {
  if (!images || !voices) return { reference_image_urls: images };
  return {
    images: images.map((url, at) => presentFields({ url, role: 'reference_image', reference_voice: voices[at] })),
  };
}

/**
 * `mode`, `image_source_mode` and `avatar_asset_ids` are not among the fields shown for this route. They are sent
 * all the same: a refusal costs nothing, a value that silently goes missing costs a take.
 */
function compatibleBody(shot: ShotSpec, context: RequestContext): JsonObject {
  const { params } = shot;
  const parts = content(shot, context);
  return presentFields({
    ...{ model: shot.model, content: parts.length === 0 ? undefined : parts, ...commonFields(shot) },
    ratio: params.aspect_ratio,
    resolution: params.size,
    duration: seconds(params.duration, context.settings),
    generate_audio: params.generate_audio,
    watermark: params.watermark,
    callback_url: callbackFor(shot, context.settings),
  });
}

/** The columns of media with their roles. A video starts from its source image: that is its first frame. */
const inContent: readonly (readonly [string, VideoReference['media_type'], AssetRole])[] = [
  ['image', 'image', 'first_frame'],
  ['first_frame', 'image', 'first_frame'],
  ['last_frame', 'image', 'last_frame'],
  ['reference_images', 'image', 'reference_image'],
  ['video', 'video', 'reference_video'],
  ['videos', 'video', 'reference_video'],
  ['reference_videos', 'video', 'reference_video'],
  ['audio', 'audio', 'reference_audio'],
];

/** The `content[]` of the compatible route. Every medium carries its role: without one it may be refused (rule 2). */
function content(shot: ShotSpec, context: RequestContext): JsonObject[] {
  const { all } = mediaIn(shot, context);
  return [
    ...(shot.prompt === '' ? [] : [{ type: 'text', text: shot.prompt }]),
    ...inContent.flatMap(([column, media, role]) => (all(column) ?? []).map((url) => entry(media, role, url))),
    ...references(shot.params.references ?? [], context).map((reference) =>
      entry(reference.media_type, reference.role, reference.url, reference.alias),
    ),
  ];
}

function entry(media: VideoReference['media_type'], role: string, url: string, alias?: string): JsonObject {
  const type = `${media}_url`;
  return { type, role, [type]: { url }, ...(alias === undefined ? {} : { alias }) };
}

/** Reference, `duration`: an integer or a text. A fraction is sent only as the settings say. */
function seconds(value: Json | undefined, { assumed }: RequestContext['settings']): Json | undefined {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  if (assumed.fractionalSeconds === 'refused')
    throw new Error(`the duration ${value} is not a whole number of seconds`);
  return assumed.fractionalSeconds === 'text' ? String(value) : value;
}

/** Rebuilt field by field, so that the order of keys in the cell does not change the bytes that are sent. */
const references = (value: Json, { assets }: RequestContext) =>
  (value as unknown as VideoReference[]).map(({ media_type, role, url, alias }) => ({
    ...{ media_type, role, url: sentAddress(url, assets), ...(alias === undefined ? {} : { alias }) },
  }));

const roles: Readonly<Record<string, AssetRole>> = {
  ...Object.fromEntries(inContent.map(([column, _media, role]) => [column, role])),
  reference_voices: 'reference_audio',
};

const mediaInColumns = namedMedia(videoSpec, 'address', roles);

const imageRole = z.enum(['reference_image', 'first_frame', 'last_frame']);
const common = { url: z.string().trim().min(1), alias: z.string().trim().min(1).exactOptional() };

/**
 * One entry of the `references` column (service reference, "Videos", field `references`). `url` may also be a local
 * path. The role must fit the media type.
 */
const VideoReference = z.discriminatedUnion('media_type', [
  z.strictObject({ media_type: z.literal('image'), role: imageRole, ...common }),
  z.strictObject({ media_type: z.literal('video'), role: z.literal('reference_video'), ...common }),
  z.strictObject({ media_type: z.literal('audio'), role: z.literal('reference_audio'), ...common }),
]);
type VideoReference = z.infer<typeof VideoReference>;

export const VideoReferences = z.array(VideoReference).min(1);

/** Service reference, "Videos" and "Limits". */
const videoRules: KindRules = {
  mediaOf: (params) => {
    const sentAs = 'address' as const;
    return [
      ...mediaInColumns(params).map((use) =>
        use.column === 'input_reference' ? { ...use, role: inputRole(params) } : use,
      ),
      ...videoReferences(params.references).map(({ media_type: media, role, url: cell }) => ({
        ...{ column: 'references', media, cell, sentAs, role },
      })),
      ...avatarIds(params.avatar_asset_ids).map((id) => ({
        ...{ column: 'avatar_asset_ids', media: 'image' as const, cell: `Asset://${id}`, sentAs },
        role: 'reference_image' as const,
      })),
    ];
  },
  check: (shot, context) => rules.flatMap((rule) => rule(shot, context)),
  schemas: { references: VideoReferences },
  hasVideoInput,
};

/** What an input reference is where its row does not say: an image to follow. */
const inputRole = ({ input_reference_role: role }: ShotDraft['params']) =>
  imageRole.safeParse(role).data ?? 'reference_image';

const rules: readonly ((shot: ShotDraft, context: RuleContext) => readonly Finding[])[] = [
  checkDuration,
  checkSize,
  checkRoles,
  checkReferenceCount,
  checkVoices,
  checkInputRole,
  checkVideoReferences,
  checkImageSource,
  checkContent,
  checkRoute,
  checkAliases,
];

/** The `references` of a draft: its schema has judged the cell before any rule sees it. */
const videoReferences = (value: Json | undefined): readonly VideoReference[] =>
  Array.isArray(value) ? (value as unknown as VideoReference[]) : [];

/** Reference, `avatar_asset_ids`: ids, without the form in which other fields name an asset. */
const avatarIds = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : []).filter((id) => typeof id === 'string').map(bareAssetId);

const has = ({ params }: ShotDraft, column: string): boolean => params[column] !== undefined;

function extraColumn(shot: ShotDraft, field: string): string | undefined {
  const name = Object.keys(shot.extra).find((extra) => extraFieldName(extra) === field);
  return name === undefined ? undefined : `param.${name}`;
}

function checkDuration(shot: ShotDraft, { line, settings }: RuleContext): Finding[] {
  const { duration } = shot.params;
  if (typeof duration !== 'number') return [];
  const findings: Finding[] = [];
  if (has(shot, 'frames') || extraColumn(shot, 'frames') !== undefined) {
    findings.push(error('duration', messageFor('defect.durationAndFrames'), messageFor('remedy.keepOne')));
  }
  const limits = line?.duration;
  const isWhole = Number.isInteger(duration);
  const nearest = messageFor('remedy.writeOneOf', { choices: [Math.floor(duration), Math.ceil(duration)].map(String) });
  const notWhole = error('duration', messageFor('defect.wholeSeconds'), nearest);
  if (!isWhole && limits?.integersOnly !== true && settings.assumed.fractionalSeconds === 'refused') {
    return [...findings, notWhole];
  }
  const automatic = duration === -1;
  if (limits === undefined || (automatic && limits.min < limits.max)) return findings;
  if (duration < limits.min || duration > limits.max) {
    findings.push(outOfLimits(shot.model, limits));
  } else if (limits.integersOnly && !isWhole) {
    findings.push(notWhole);
  }
  return findings;
}

function outOfLimits(model: string, limits: DurationLimits): Finding {
  const [min, max] = [String(limits.min), String(limits.max)];
  const is = min === max ? 'one' : 'other';
  const remedy =
    is === 'one'
      ? messageFor('remedy.writeValue', { value: min })
      : messageFor('remedy.writeNumberBetween', { type: 'number', min, max });
  return error('duration', messageFor('defect.durationLimits', { model, min, max, is }), remedy);
}

function checkSize({ model, params: { size } }: ShotDraft, { line }: RuleContext): Finding[] {
  if (typeof size !== 'string' || line?.sizes === undefined || line.sizes.includes(size)) return [];
  const remedy = messageFor('remedy.otherSize', { sizes: line.sizes });
  return [error('size', messageFor('defect.noSize', { model, size }), remedy)];
}

const frameColumns = ['first_frame', 'last_frame'];

/** Reference, `images`: "Do not mix incompatible roles". On the compatible route a source image is a first frame. */
function checkRoles(shot: ShotDraft, { settings }: RuleContext): Finding[] {
  const roles = videoReferences(shot.params.references).map(({ role }) => role);
  const inputFrame = String(shot.params.input_reference_role);
  const hasFrame =
    frameColumns.some((column) => has(shot, column)) ||
    [inputFrame, ...roles].some((role) => frameColumns.includes(role));
  const imagesInside = roles.includes('reference_image');
  const mixed = messageFor('remedy.keepOne');
  const startsTwice = has(shot, 'first_frame') || [inputFrame, ...roles].includes('first_frame');
  return [
    ...(has(shot, 'reference_images')
      ? when(hasFrame, error('reference_images', messageFor('defect.referencesAndFrames'), mixed))
      : when(imagesInside && hasFrame, error('references', messageFor('defect.referencesAndFrames'), mixed))),
    ...when(
      routeFor(shot, settings) === 'compatible' &&
        has(shot, 'image') &&
        (has(shot, 'reference_images') || imagesInside),
      error('image', messageFor('defect.imageIsFirstFrame'), messageFor('remedy.clearOrRouteV1')),
    ),
    ...when(
      has(shot, 'image') && startsTwice,
      error('image', messageFor('defect.startsTwice'), messageFor('remedy.keepOne')),
    ),
  ];
}

const SHOWN_REFERENCE_IMAGES = 5;

const countIn = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0);

function checkReferenceCount({ params }: ShotDraft): Finding[] {
  const [count, most] = [countIn(params.reference_images), SHOWN_REFERENCE_IMAGES];
  const problem = messageFor('defect.manyReferences', { count, most });
  return when(count > most, warning('reference_images', problem, messageFor('remedy.keepReferences', { most })));
}

/** Reference, `images`: a voice is bound to an image. */
function checkVoices({ params }: ShotDraft): Finding[] {
  const [voices, images] = [countIn(params.reference_voices), countIn(params.reference_images)];
  const problem = messageFor('defect.moreVoices', { voices, images });
  return when(voices > images, error('reference_voices', problem, messageFor('remedy.oneVoiceEach')));
}

function checkInputRole(shot: ShotDraft): Finding[] {
  const isNamed = has(shot, 'input_reference') || extraColumn(shot, 'input_reference') !== undefined;
  const problem = messageFor('defect.roleWithoutReference');
  const found = error('input_reference_role', problem, messageFor('remedy.nameInputReference'));
  return when(has(shot, 'input_reference_role') && !isNamed, found);
}

function checkVideoReferences(_shot: ShotDraft, { line, media }: RuleContext): Finding[] {
  if (line?.preparedVideosOnly !== true) return [];
  const plain = media.filter((use) => use.media === 'video' && readMediaReference(use.cell).at === 'url');
  return [...new Set(plain.map((use) => use.column))].map((column) =>
    error(column, messageFor('defect.preparedVideosOnly'), messageFor('remedy.uploadPrepared')),
  );
}

/** Reference, `image_source_mode`: one mode for all images of a request, `asset` unless `direct_url` is chosen. */
function checkImageSource(shot: ShotDraft, { settings, media }: RuleContext): Finding[] {
  if (!isOneOf(shot.model, settings.assumed.sgModels)) return [];
  const images = media.filter((use) => use.media === 'image' && use.column !== 'avatar_asset_ids');
  const plain = images.find((use) => readMediaReference(use.cell).at === 'url');
  const asset = images.find((use) => ['asset', 'local', 'shot'].includes(readMediaReference(use.cell).at));
  if (shot.params.image_source_mode === 'direct_url') {
    if (asset === undefined) return [];
    return [error(asset.column, messageFor('defect.directUrlOnly'), messageFor('remedy.assetsOnly'))];
  }
  if (plain === undefined) return [];
  return [error(plain.column, messageFor('defect.plainUrlNotChosen'), messageFor('remedy.setDirectUrl'))];
}

/** Reference, "Compatible route fields", rules 1 and 2, for those who write `content` themselves. */
function checkContent(shot: ShotDraft, { settings, media }: RuleContext): Finding[] {
  const column = extraColumn(shot, 'content');
  if (column === undefined) return [];
  const name = column.slice('param.'.length);
  const content = extraFieldValue(name, shot.extra[name] ?? 'null');
  const sentTwice = routeFor(shot, settings) === 'compatible' && (shot.prompt !== '' || media.length > 0);
  return [
    ...(has(shot, 'references')
      ? [
          error(
            'references',
            messageFor('defect.referencesAndContent'),
            messageFor('remedy.clearCellOrColumn', { column }),
          ),
        ]
      : when(sentTwice, error(column, messageFor('defect.contentSent'), messageFor('remedy.clearThisOrThose')))),
    ...when(
      Array.isArray(content) &&
        content.some((each) => isObject(each) && each.type !== 'text' && each.role === undefined),
      error(column, messageFor('defect.entryWithoutRole'), messageFor('remedy.addRole')),
    ),
  ];
}

const recommendedRouteOnly = [
  ...['mode', 'frames', 'reference_voices', 'input_reference', 'input_reference_role'],
  ...['image_source_mode', 'avatar_asset_ids'],
];

function checkRoute(shot: ShotDraft, { settings }: RuleContext): Finding[] {
  if (routeFor(shot, settings) !== 'compatible') return [];
  const problem = (column: string) => takesNo(messageFor('defect.compatibleRoute'), column);
  return errorsIn(shot, recommendedRouteOnly, problem, messageFor('remedy.clearOrRouteV1'));
}

type VideoRoute = Settings['videoRoute'];

/** The entry that a shot is sent to: that of its row, else that of the settings. */
const routeFor = ({ params }: Pick<ShotSpec, 'params'>, { videoRoute }: Pick<Settings, 'videoRoute'>): VideoRoute =>
  params.route === 'v1' || params.route === 'compatible' ? params.route : videoRoute;

const videoFields = ['video', 'video_url', 'videos', 'reference_video_url', 'reference_video_urls'];

/**
 * Whether a request has video input, which is billed differently (service reference, "Compatible route fields", rule 4):
 * a source or reference video in any field. Images alone are none.
 */
function hasVideoInput({ params, extra = {} }: Pick<ShotSpec, 'params'> & Partial<ShotSpec>): boolean {
  if (['video', 'videos', 'reference_videos'].some((name) => params[name] !== undefined)) return true;
  if (Object.keys(extra).some((name) => videoFields.includes(extraFieldName(name)))) return true;
  return [params.references]
    .flat()
    .some((each) => isObject(each) && (each.media_type === 'video' || each.role === 'reference_video'));
}

/**
 * Checks the `@alias` of a prompt (reference, "Videos", `prompt` and `references`). An unknown one is reported only
 * when it clearly is an alias: every reference of the row has one, or another row of the list gives it. The service
 * may give names of its own to references without an alias.
 */
function checkAliases({ prompt, params }: ShotDraft, { aliases: listAliases }: RuleContext): Finding[] {
  const references = videoReferences(params.references);
  if (references.length === 0 && !prompt.includes('@')) return [];
  const aliases = references.flatMap(({ alias }) => (alias === undefined ? [] : [bareAlias(alias)]));
  const repeated = aliases.find((alias, place) => aliases.indexOf(alias) !== place);
  const findings: Finding[] = [];
  if (repeated !== undefined) {
    const problem = messageFor('defect.aliasTwice', { alias: repeated });
    findings.push(error('references', problem, messageFor('remedy.ownAlias')));
  }
  if (!prompt.includes('@') || aliases.length < references.length) return findings;
  const unknown = mentions(prompt).filter((mention) => !aliases.some((alias) => mention.startsWith(alias)));
  for (const mention of new Set(unknown.map(firstWord))) {
    if (mention === '' || (aliases.length === 0 && !listAliases.has(mention))) continue;
    const remedy =
      aliases.length === 0
        ? messageFor('remedy.addAlias', { alias: mention })
        : messageFor('remedy.writeOneOf', { choices: aliases.map((alias) => `@${alias}`) });
    findings.push(error('prompt', messageFor('defect.aliasUnknown', { alias: mention }), remedy));
  }
  return findings;
}

/** The words after each `@` that is not part of an e-mail address. */
function mentions(prompt: string): string[] {
  return [...prompt.matchAll(/(?<![A-Za-z0-9._@])@/g)].map((at) => prompt.slice(at.index + 1));
}

function firstWord(text: string): string {
  return /^[\p{L}\p{N}_-]*/u.exec(text)?.[0] ?? '';
}

/** Service reference, "Videos": both entries and the query. */
export const videoDriver: KindDriver = {
  rules: videoRules,
  toRequest: (shot, context) =>
    routeFor(shot, context.settings) === 'compatible'
      ? videos.createCompatible(withExtraFields(compatibleBody(shot, context), shot))
      : videos.create(withExtraFields(recommendedBody(shot, context), shot)),
  taskPath: (taskId, settings) => videos.path(taskId, pathIn(settings, 'videoTask')),
};
