/** The bytes of a file as base64, as calls carry them. */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('The file could not be read. It may have been moved; choose it again.'));
    reader.readAsDataURL(file);
  });
}
