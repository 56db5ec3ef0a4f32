import type { AssetRole } from '../../contract/asset.ts';
import type { KindSpec, MediaType } from '../../contract/kinds/spec.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { MediaUse } from './rules.ts';

/**
 * Reads the media out of a kind's media parameters, in the order of its spec. `roles` by the name of the parameter; what
 * has a purpose of the service plays none.
 */
export function namedMedia(
  spec: KindSpec,
  sentAs: MediaUse['sentAs'],
  roles: Readonly<Record<string, AssetRole>> = {},
): (params: ShotSpec['params']) => MediaUse[] {
  const parameters = spec.parameters.filter((parameter) => 'media' in parameter);
  return (params) => {
    const uses: MediaUse[] = [];
    for (const parameter of parameters) {
      const { name, media } = parameter;
      const purpose = parameter.type === 'media' ? parameter.purpose : undefined;
      const value = params[name];
      if (value === undefined) continue;
      const role = roles[name] ?? (media === 'any' || purpose !== undefined ? '' : (`reference_${media}` as const));
      for (const cell of Array.isArray(value) ? value : [value]) {
        if (typeof cell !== 'string') continue;
        uses.push({ column: name, media, cell, sentAs, role, ...(purpose !== undefined && { purpose }) });
      }
    }
    return uses;
  };
}

type KnownMedia = Exclude<MediaType, 'any'>;

const extensions: Readonly<Record<KnownMedia, readonly string[]>> = {
  image: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'bmp', 'tif', 'tiff', 'heic', 'heif', 'avif'],
  video: ['mp4', 'mov', 'webm', 'm4v', 'mkv', 'avi'],
  audio: ['mp3', 'wav', 'm4a', 'aac', 'flac', 'ogg', 'opus'],
};

const knownMedia: readonly KnownMedia[] = ['image', 'video', 'audio'];

/** The media type of an extension (without dot, any case), or null if uncertain. */
export function mediaTypeOf(extension: string): KnownMedia | null {
  const wanted = extension.toLowerCase();
  return knownMedia.find((type) => extensions[type].includes(wanted)) ?? null;
}

export function extensionsOf(media: MediaType): readonly string[] {
  return media === 'any' ? knownMedia.flatMap((known) => extensions[known]) : extensions[media];
}
