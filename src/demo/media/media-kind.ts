import type { MediaKind } from '../models.ts';

const facts: Record<MediaKind, { extension: string; contentType: string }> = {
  video: { extension: 'mp4', contentType: 'video/mp4' },
  image: { extension: 'png', contentType: 'image/png' },
  music: { extension: 'wav', contentType: 'audio/wav' },
};

export function mediaExtension(kind: MediaKind): string {
  return facts[kind].extension;
}

export function mediaContentType(kind: MediaKind): string {
  return facts[kind].contentType;
}
