import type { AssetRole } from '../../../contract/asset.ts';
import type { Json } from '../../../contract/json.ts';
import { videoSpec } from '../../../contract/kinds/video.ts';
import { checkAliases } from '../aliases.ts';
import { extraFieldName, extraFieldValue } from '../extra-fields.ts';
import { bareAssetId, readMediaReference } from '../media-reference.ts';
import { namedMedia } from '../named-media.ts';
import { isOneOf } from '../../models/index.ts';
import { error, warning } from '../rules.ts';
import type { Finding, KindRules, RuleContext, ShotDraft } from '../rules.ts';
import { routeOf } from './route.ts';
import { hasVideoInput, VideoReferences, type VideoReference } from './references.ts';

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
    findings.push(error('duration', 'A duration is not sent together with frames.', 'Clear one of the two cells.'));
  }
  const limits = line?.duration;
  const isWhole = Number.isInteger(duration);
  const nearest = `Write ${Math.floor(duration)} or ${Math.ceil(duration)}.`;
  if (!isWhole && limits?.integersOnly !== true && settings.assumed.fractionalSeconds === 'refused') {
    const why = 'A duration is sent in whole seconds, since the service takes an integer.';
    return [...findings, error('duration', why, nearest)];
  }
  const automatic = duration === -1;
  if (limits === undefined || (automatic && limits.min < limits.max)) return findings;
  if (duration < limits.min || duration > limits.max) {
    const allowed = limits.min === limits.max ? `${limits.min} s only` : `${limits.min} to ${limits.max} s`;
    const remedy =
      limits.min === limits.max ? `Write ${limits.min}.` : `Write a value from ${limits.min} to ${limits.max}.`;
    findings.push(error('duration', `${shot.model} makes videos of ${allowed}.`, remedy));
  } else if (limits.integersOnly && !isWhole) {
    findings.push(error('duration', `${shot.model} takes whole seconds only.`, nearest));
  }
  return findings;
}

function checkSize(shot: ShotDraft, { line }: RuleContext): Finding[] {
  const { size } = shot.params;
  if (typeof size !== 'string' || line?.sizes === undefined || line.sizes.includes(size)) return [];
  return [
    error('size', `${shot.model} does not make ${size}.`, `Write ${line.sizes.join(' or ')}, or choose another model.`),
  ];
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
  const remedy = 'Keep either the first and last frame or the reference images.';
  if (has(shot, 'reference_images') && (frame !== undefined || framesInside)) {
    findings.push(error('reference_images', 'Reference images are not mixed with a first or last frame.', remedy));
  } else if (imagesInside && (frame !== undefined || framesInside)) {
    findings.push(error('references', 'The role reference_image is not mixed with a first or last frame.', remedy));
  }
  if (
    routeOf(shot, settings) === 'compatible' &&
    has(shot, 'image') &&
    (has(shot, 'reference_images') || imagesInside)
  ) {
    const problem =
      'On the compatible route the source image is a first frame, which is not mixed with reference images.';
    findings.push(error('image', problem, 'Keep one of the two, or set the route to v1.'));
  }
  const startsTwice =
    has(shot, 'first_frame') || inputFrame === 'first_frame' || references.some(({ role }) => role === 'first_frame');
  if (has(shot, 'image') && startsTwice) {
    findings.push(
      error('image', 'The source image and the first frame both say how the video starts.', 'Keep one of them.'),
    );
  }
  return findings;
}

const SHOWN_REFERENCE_IMAGES = 5;

function checkReferenceCount(shot: ShotDraft): Finding[] {
  const { reference_images: images } = shot.params;
  if (!Array.isArray(images) || images.length <= SHOWN_REFERENCE_IMAGES) return [];
  const problem = `${images.length} reference images: the service speaks of up to ${SHOWN_REFERENCE_IMAGES}, and other limits depend on the model.`;
  return [
    warning(
      'reference_images',
      problem,
      `Keep the ${SHOWN_REFERENCE_IMAGES} that matter most if the service refuses them.`,
    ),
  ];
}

/** Reference, `images`: a voice is bound to an image. */
function checkVoices({ params }: ShotDraft): Finding[] {
  const count = (name: string): number => {
    const value = params[name];
    return Array.isArray(value) ? value.length : 0;
  };
  const [voices, images] = [count('reference_voices'), count('reference_images')];
  if (voices <= images) return [];
  const problem = `The row has more reference voices (${voices}) than reference images (${images}).`;
  return [error('reference_voices', problem, 'Give one voice for each reference image, in their order.')];
}

function checkInputRole(shot: ShotDraft): Finding[] {
  if (!has(shot, 'input_reference_role') || has(shot, 'input_reference')) return [];
  if (extraColumn(shot, 'input_reference') !== undefined) return [];
  const remedy = 'Name the image in input_reference, or clear this cell.';
  return [error('input_reference_role', 'The row has no input reference that could have this role.', remedy)];
}

function checkVideoReferences(_shot: ShotDraft, { line, media }: RuleContext): Finding[] {
  if (line?.preparedVideosOnly !== true) return [];
  const plain = media.filter((use) => use.media === 'video' && readMediaReference(use.cell).at === 'url');
  return [...new Set(plain.map((use) => use.column))].map((column) =>
    error(
      column,
      'Models of the CL line take a reference video only as an asset prepared for them, not as a URL.',
      'Upload the video for this model (purpose reference_video) and write its Asset:// reference.',
    ),
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
    const problem = 'direct_url holds for all images of the row, and this one is an asset.';
    return [error(asset.column, problem, 'Clear image_source_mode, and give every image as an asset or a local file.')];
  }
  if (plain === undefined) return [];
  return [
    error(
      plain.column,
      'Models of the SG line take a plain image URL only when it is chosen explicitly.',
      'Set image_source_mode to direct_url (photos of persons may be refused), or use an Asset:// reference.',
    ),
  ];
}

/** Reference, "Compatible route fields", rules 1 and 2, for those who write `content` themselves. */
function checkContent(shot: ShotDraft, { settings, media }: RuleContext): Finding[] {
  const column = extraColumn(shot, 'content');
  if (column === undefined) return [];
  const findings: Finding[] = [];
  if (has(shot, 'references')) {
    findings.push(
      error('references', 'References and content are not sent in one request.', `Clear this cell or ${column}.`),
    );
  }
  if (
    routeOf(shot, settings) === 'compatible' &&
    !has(shot, 'references') &&
    (shot.prompt !== '' || media.length > 0)
  ) {
    const problem = 'The prompt and the media of this row are sent as content already.';
    findings.push(error(column, problem, 'Clear this cell, or the prompt and the media columns.'));
  }
  const name = column.slice('param.'.length);
  const content = extraFieldValue(name, shot.extra[name] ?? 'null');
  if (Array.isArray(content) && content.some(lacksRole)) {
    const remedy = 'Add a role to each entry that is not text, for example "role": "first_frame".';
    findings.push(error(column, 'An entry of content has no role, and may be refused for it.', remedy));
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
      error(column, `The compatible video route has no field ${column}.`, 'Clear the cell, or set the route to v1.'),
    );
}
