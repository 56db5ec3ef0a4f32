import { t } from '../../../contract/messages/words.ts';
import type { LucideIcon } from '@lucide/svelte';
import AudioLines from '@lucide/svelte/icons/audio-lines';
import File from '@lucide/svelte/icons/file';
import Film from '@lucide/svelte/icons/film';
import Image from '@lucide/svelte/icons/image';

interface TypeWords {
  readonly word: string;
  readonly icon: LucideIcon;
}

const types: Readonly<Record<string, TypeWords>> = {
  image: { word: t('common.image'), icon: Image },
  video: { word: t('common.video'), icon: Film },
  audio: { word: t('common.audio'), icon: AudioLines },
  file: { word: t('common.file'), icon: File },
};

export const typeWords = (type: string): TypeWords =>
  (Object.hasOwn(types, type) ? types[type] : undefined) ?? { word: type, icon: File };

/** A length in seconds as it is written beside media: `0:07`, `2:05`. */
export function mediaLength(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
