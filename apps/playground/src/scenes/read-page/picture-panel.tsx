import { useEffect, useRef } from "preact/hooks";
import type { Picture, ReadPage } from "./read-page.js";
import type { Reading, ShownLine } from "./reading.js";

/** Takes a picture, by drag and drop, from the clipboard or from a file, and shows it with the boxes of its lines. */
export function PicturePanel({ scene }: { scene: ReadPage }) {
  const picture = scene.picture.value;
  usePaste(scene);
  return (
    <section class="card picker page-picker" aria-labelledby="page-picker-heading" data-testid="page-drop">
      <h2 id="page-picker-heading">{picture?.name ?? "Drop or paste a screenshot or a photograph"}</h2>
      <p class="picker-note">
        {picture === null
          ? "The picture stays on this device. Nothing is uploaded."
          : "Drop or paste another picture to replace it."}
      </p>
      {scene.problem.value === null ? null : (
        <p class="input-problem" role="alert">
          {scene.problem}
        </p>
      )}
      <div class="picker-ways">
        <FileButton scene={scene} />
        <button
          type="button"
          class="button"
          data-testid="sample-page"
          disabled={scene.playground.comparing}
          onClick={() => void scene.chooseSample()}
        >
          Use the sample page
        </button>
      </div>
      {picture === null ? (
        <div class="page-picture-coming" />
      ) : (
        <PictureView key={picture} scene={scene} picture={picture} />
      )}
    </section>
  );
}

function usePaste(scene: ReadPage): void {
  useEffect(() => {
    const listening = new AbortController();
    const paste = ({ clipboardData }: ClipboardEvent): void => takeFile(scene, clipboardData?.files[0]);
    document.addEventListener("paste", paste, listening);
    return () => listening.abort();
  }, [scene]);
}

function takeFile(scene: ReadPage, file: File | undefined): void {
  if (file !== undefined && !scene.playground.comparing.peek()) void scene.chooseFile(file);
}

function FileButton({ scene }: { scene: ReadPage }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="button button-primary"
        disabled={scene.playground.comparing}
        onClick={() => input.current?.click()}
      >
        Choose a picture
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Picture"
        data-testid="page-file"
        onChange={({ currentTarget }) => {
          takeFile(scene, currentTarget.files?.[0]);
          // Allows the visitor to choose the same file again after a change.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

function PictureView({ scene, picture }: { scene: ReadPage; picture: Picture }) {
  const { width, height } = picture.image;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => canvas.current?.getContext("2d")?.drawImage(picture.image, 0, 0), [picture]);
  const reading = scene.reading.value;
  return (
    <div class="page-picture">
      <canvas ref={canvas} width={width} height={height} role="img" aria-label={picture.name} />
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-testid="page-boxes">
        {reading === null ? null : <Boxes scene={scene} reading={reading} />}
      </svg>
    </div>
  );
}

function Boxes({ scene, reading }: { scene: ReadPage; reading: Reading }) {
  return (
    <>
      {reading.lines.value?.map((line) => (
        <Box key={line.index} scene={scene} line={line} />
      ))}
    </>
  );
}

function Box({ scene: { selected }, line: { index, points, read } }: { scene: ReadPage; line: ShownLine }) {
  return (
    <polygon
      class="page-box"
      points={points}
      data-read={read.value !== null}
      data-selected={selected.value === index}
      onPointerEnter={() => (selected.value = index)}
      onPointerLeave={() => (selected.value = null)}
    />
  );
}
