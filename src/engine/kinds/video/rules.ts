import type { Settings } from '../../../contract/settings.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import type { AssetRole } from '../../../contract/asset.ts';
import type { Json } from '../../../contract/json.ts';
import { videoSpec } from '../../../contract/kinds/video.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import { checkAliases } from '../aliases.ts';
import { extraFieldName, extraFieldValue } from '../extra-fields.ts';
import { bareAssetId, readMediaReference } from '../media-reference.ts';
import { namedMedia } from '../named-media.ts';
import { type DurationLimits, isOneOf } from '../../models/index.ts';
import { error, type Finding, type KindRules, type RuleContext, type ShotDraft, warning } from '../rules.ts';
import * as z from 'zod';

/** The video starts from its source image: that is its first frame. */
const roles: Readonly<Record<string, AssetRole>> = {
  image: 'first_frame',
  first_frame: 'first_frame',
  last_frame: 'last_frame',
  reference_images: 'reference_image',
  reference_voices: 'reference_audio',
  video: 'reference_video',
  videos: 'reference_video',
  reference_videos: 'reference_video',
  audio: 'reference_audio',
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
export type VideoReference = z.infer<typeof VideoReference>;

export const VideoReferences = z.array(VideoReference).min(1);

/** Service reference, "Videos" and "Limits". */
export const videoRules: KindRules = {
  mediaOf: (params) => {
    const media = mediaInColumns(params).map((use) =>
      use.column === 'input_reference' ? { ...use, role: inputRole(params) } : use,
    );
    for (const { media_type, role, url } of videoReferences(params.references)) {
      media.push({ column: 'references', media: media_type, cell: url, sentAs: 'address', role });
    }
    for (const id of avatarIds(params.avatar_asset_ids)) {
      media.push({
        column: 'avatar_asset_ids',
        media: 'image',
        cell: `Asset://${id}`,
        sentAs: 'address',
        role: 'reference_image',
      });
    }
    return media;
  },
  check: (shot, context) => {
    const findings: Finding[] = [];
    for (const rule of rules) findings.push(...rule(shot, context));
    return findings;
  },
  schemas: { references: VideoReferences },
  hasVideoInput,
};

/** What an input reference is where its row does not say: an image to follow. */
const inputRole = ({ input_reference_role: role }: ShotDraft['params']): (typeof imageRoles)[number] =>
  imageRoles.find((each) => each === role) ?? 'reference_image';

const imageRoles = ['reference_image', 'first_frame', 'last_frame'] as const;

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
  ({ prompt, params }, { aliases }) => checkAliases(prompt, videoReferences(params.references), aliases),
];

/** The `references` of a draft: its schema has judged the cell before any rule sees it. */
function videoReferences(value: Json | undefined): readonly VideoReference[] {
  return Array.isArray(value) ? (value as unknown as VideoReference[]) : [];
}

function avatarIds(value: Json | undefined): readonly string[] {
  return (Array.isArray(value) ? value : []).filter((id) => typeof id === 'string').map(bareAssetId);
}

function has(shot: ShotDraft, parameter: string): boolean {
  return shot.params[parameter] !== undefined;
}

/** Name of the `param.NAME` column that sends this field, if there is one. */
function extraColumn(shot: ShotDraft, field: string): string | undefined {
  const name = Object.keys(shot.extra).find((extra) => extraFieldName(extra) === field);
  return name === undefined ? undefined : `param.${name}`;
}

function checkDuration(shot: ShotDraft, { line, settings }: RuleContext): Finding[] {
  const { duration } = shot.params;
  if (typeof duration !== 'number') return [];
  const findings: Finding[] = [];
  if (has(shot, 'frames') || extraColumn(shot, 'frames') !== undefined) {
    findings.push(error('duration', messageFor('defect.durationAndFrames'), messageFor('remedy.clearOneCell')));
  }
  const limits = line?.duration;
  const isWhole = Number.isInteger(duration);
  const either = { low: String(Math.floor(duration)), high: String(Math.ceil(duration)) };
  const nearest = messageFor('remedy.writeEither', either);
  if (!isWhole && limits?.integersOnly !== true && settings.assumed.fractionalSeconds === 'refused') {
    return [...findings, error('duration', messageFor('defect.wholeSeconds'), nearest)];
  }
  const automatic = duration === -1;
  if (limits === undefined || (automatic && limits.min < limits.max)) return findings;
  if (duration < limits.min || duration > limits.max) {
    findings.push(outOfLimits(shot.model, limits));
  } else if (limits.integersOnly && !isWhole) {
    findings.push(error('duration', messageFor('defect.modelWholeSeconds', { model: shot.model }), nearest));
  }
  return findings;
}

function outOfLimits(model: string, limits: DurationLimits): Finding {
  const [min, max] = [String(limits.min), String(limits.max)];
  return min === max
    ? error(
        'duration',
        messageFor('defect.durationOnly', { model, seconds: min }),
        messageFor('remedy.writeValue', { value: min }),
      )
    : error(
        'duration',
        messageFor('defect.durationLimits', { model, min, max }),
        messageFor('remedy.writeBetween', { min, max }),
      );
}

function checkSize({ model, params: { size } }: ShotDraft, { line }: RuleContext): Finding[] {
  if (typeof size !== 'string' || line?.sizes === undefined || line.sizes.includes(size)) return [];
  const remedy = messageFor('remedy.otherSize', { sizes: line.sizes });
  return [error('size', messageFor('defect.noSize', { model, size }), remedy)];
}

const frameColumns = ['first_frame', 'last_frame'];

/** Reference, `images`: "Do not mix incompatible roles". On the compatible route a source image is a first frame. */
function checkRoles(shot: ShotDraft, { settings }: RuleContext): Finding[] {
  const references = videoReferences(shot.params.references);
  const inputFrame = String(shot.params.input_reference_role);
  const frame = [...frameColumns.filter((column) => has(shot, column)), inputFrame].find((role) =>
    frameColumns.includes(role),
  );
  const framesInside = references.some(({ role }) => frameColumns.includes(role));
  const imagesInside = references.some(({ role }) => role === 'reference_image');
  const findings: Finding[] = [];
  const remedy = messageFor('remedy.framesOrReferences');
  if (has(shot, 'reference_images') && (frame !== undefined || framesInside)) {
    findings.push(error('reference_images', messageFor('defect.referencesAndFrames'), remedy));
  } else if (imagesInside && (frame !== undefined || framesInside)) {
    findings.push(error('references', messageFor('defect.roleAndFrames'), remedy));
  }
  if (
    routeOf(shot, settings) === 'compatible' &&
    has(shot, 'image') &&
    (has(shot, 'reference_images') || imagesInside)
  ) {
    findings.push(error('image', messageFor('defect.imageIsFirstFrame'), messageFor('remedy.oneOrRouteV1')));
  }
  const startsTwice =
    has(shot, 'first_frame') || inputFrame === 'first_frame' || references.some(({ role }) => role === 'first_frame');
  if (has(shot, 'image') && startsTwice) {
    findings.push(error('image', messageFor('defect.startsTwice'), messageFor('remedy.keepOne')));
  }
  return findings;
}

const SHOWN_REFERENCE_IMAGES = 5;

function checkReferenceCount(shot: ShotDraft): Finding[] {
  const { reference_images: images } = shot.params;
  if (!Array.isArray(images) || images.length <= SHOWN_REFERENCE_IMAGES) return [];
  const most = SHOWN_REFERENCE_IMAGES;
  const problem = messageFor('defect.manyReferences', { count: images.length, most });
  return [warning('reference_images', problem, messageFor('remedy.keepReferences', { most }))];
}

/** Reference, `images`: a voice is bound to an image. */
function checkVoices({ params }: ShotDraft): Finding[] {
  const count = (name: string): number => {
    const value = params[name];
    return Array.isArray(value) ? value.length : 0;
  };
  const [voices, images] = [count('reference_voices'), count('reference_images')];
  if (voices <= images) return [];
  return [
    error('reference_voices', messageFor('defect.moreVoices', { voices, images }), messageFor('remedy.oneVoiceEach')),
  ];
}

function checkInputRole(shot: ShotDraft): Finding[] {
  if (!has(shot, 'input_reference_role') || has(shot, 'input_reference')) return [];
  if (extraColumn(shot, 'input_reference') !== undefined) return [];
  const remedy = messageFor('remedy.nameInputReference');
  return [error('input_reference_role', messageFor('defect.roleWithoutReference'), remedy)];
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
  const findings: Finding[] = [];
  if (has(shot, 'references')) {
    const remedy = messageFor('remedy.clearCellOrColumn', { column });
    findings.push(error('references', messageFor('defect.referencesAndContent'), remedy));
  }
  if (
    routeOf(shot, settings) === 'compatible' &&
    !has(shot, 'references') &&
    (shot.prompt !== '' || media.length > 0)
  ) {
    findings.push(error(column, messageFor('defect.contentSent'), messageFor('remedy.clearOrPromptAndMedia')));
  }
  const name = column.slice('param.'.length);
  const content = extraFieldValue(name, shot.extra[name] ?? 'null');
  if (Array.isArray(content) && content.some(lacksRole)) {
    findings.push(error(column, messageFor('defect.entryWithoutRole'), messageFor('remedy.addRole')));
  }
  return findings;
}

function lacksRole(entry: Json): boolean {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false;
  return entry.type !== 'text' && entry.role === undefined;
}

const recommendedRouteOnly = [
  ...['mode', 'frames', 'reference_voices', 'input_reference', 'input_reference_role'],
  ...['image_source_mode', 'avatar_asset_ids'],
];

function checkRoute(shot: ShotDraft, { settings }: RuleContext): Finding[] {
  if (routeOf(shot, settings) !== 'compatible') return [];
  return recommendedRouteOnly
    .filter((column) => has(shot, column))
    .map((column) =>
      error(column, messageFor('defect.notOnCompatible', { column }), messageFor('remedy.clearOrRouteV1')),
    );
}

export type VideoRoute = Settings['videoRoute'];

/** The entry that a shot is sent to: that of its row, else that of the settings. */
export const routeOf = (
  { params }: Pick<ShotSpec, 'params'>,
  { videoRoute }: Pick<Settings, 'videoRoute'>,
): VideoRoute => (params.route === 'v1' || params.route === 'compatible' ? params.route : videoRoute);

const videoFields = ['video', 'video_url', 'videos', 'reference_video_url', 'reference_video_urls'];

/**
 * Whether a request has video input, which is billed differently (service reference, "Compatible route fields", rule 4):
 * a source or reference video in any field. Images alone are none.
 */
function hasVideoInput({ params, extra = {} }: Pick<ShotSpec, 'params'> & Partial<ShotSpec>): boolean {
  if (['video', 'videos', 'reference_videos'].some((name) => params[name] !== undefined)) return true;
  if (Object.keys(extra).some((name) => videoFields.includes(extraFieldName(name)))) return true;
  return Array.isArray(params.references) && params.references.some(isVideo);
}

function isVideo(reference: Json): boolean {
  if (typeof reference !== 'object' || reference === null || Array.isArray(reference)) return false;
  return reference.media_type === 'video' || reference.role === 'reference_video';
}
