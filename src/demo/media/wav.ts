const SAMPLE_BYTES = 2;

export interface Sound {
  samplesPerSecond: number;
  /** One array of samples from -1 to 1 for each channel, all of one length. */
  channels: readonly Float32Array[];
}

/** A WAV file of 16-bit PCM. `note` goes into an INFO chunk that players skip. */
export function encodeWav(sound: Sound, note: Buffer): Buffer {
  const channelCount = sound.channels.length;
  const frameBytes = channelCount * SAMPLE_BYTES;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0); // PCM
  format.writeUInt16LE(channelCount, 2);
  format.writeUInt32LE(sound.samplesPerSecond, 4);
  format.writeUInt32LE(sound.samplesPerSecond * frameBytes, 8);
  format.writeUInt16LE(frameBytes, 12);
  format.writeUInt16LE(SAMPLE_BYTES * 8, 14);
  const info = Buffer.concat([Buffer.from('INFO', 'latin1'), chunk('ICMT', note)]);
  const chunks = [chunk('fmt ', format), chunk('LIST', info), chunk('data', interleave(sound))];
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE', 'latin1'), ...chunks]));
}

function interleave(sound: Sound): Buffer {
  const frameBytes = sound.channels.length * SAMPLE_BYTES;
  const frames = sound.channels[0]?.length ?? 0;
  const samples = new DataView(new ArrayBuffer(frames * frameBytes));
  sound.channels.forEach((channel, place) => {
    for (let frame = 0; frame < frames; frame++) {
      const level = Math.max(-1, Math.min(1, channel[frame] ?? 0));
      samples.setInt16(frame * frameBytes + place * SAMPLE_BYTES, Math.round(level * 32767), true);
    }
  });
  return Buffer.from(samples.buffer);
}

/** RIFF chunks start at even offsets; an odd content is followed by one zero. */
function chunk(type: string, content: Buffer): Buffer {
  const framed = Buffer.alloc(8 + content.length + (content.length % 2));
  framed.write(type, 0, 'latin1');
  framed.writeUInt32LE(content.length, 4);
  content.copy(framed, 8);
  return framed;
}
