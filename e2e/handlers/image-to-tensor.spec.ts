import type { ImageTensorOptions } from "framebatch/handlers";
import type { Picture } from "../fixtures/pictures.js";
import { expect, test } from "../support/test.js";

/** Four different colors and gray, 4 by 2 pixels. */
const PICTURE: Picture = {
  width: 4,
  colors: ["ff0000", "00ff00", "0000ff", "102030", "ffffff", "000000", "808080", "0a141e"],
};
const RED = [255, 0, 0, 16, 255, 0, 128, 10];
const GREEN = [0, 255, 0, 32, 255, 0, 128, 20];
const BLUE = [0, 0, 255, 48, 255, 0, 128, 30];
/** Two halves of 32 by 64 pixels: their middles are far enough from each other to be exact at any scale. */
const HALVES: Picture = {
  width: 64,
  colors: Array.from({ length: 64 * 64 }, (_, pixel) => (pixel % 64 < 32 ? "c80000" : "0000c8")),
};

interface Case {
  readonly what: string;
  readonly picture?: Picture;
  readonly options: ImageTensorOptions;
  readonly dims: readonly number[];
  readonly data: readonly number[];
}

/** Each runs on every kind of image source, on the page and in a worker. Type "uint8" unless set. */
const CASES: readonly Case[] = [
  { what: "planes", options: {}, dims: [3, 2, 4], data: [...RED, ...GREEN, ...BLUE] },
  { what: "planes from blue", options: { channels: "BGR" }, dims: [3, 2, 4], data: [...BLUE, ...GREEN, ...RED] },
  {
    what: "interleaved",
    options: { layout: "NHWC" },
    dims: [2, 4, 3],
    data: RED.flatMap((red, pixel) => [red, GREEN[pixel] ?? 0, BLUE[pixel] ?? 0]),
  },
  {
    what: "gray",
    options: { channels: "GRAY" },
    dims: [1, 2, 4],
    data: [76, 150, 29, 29, 255, 0, 128, 18],
  },
  {
    what: "floats",
    options: { type: "float32", mean: [0.5, 0, 0.25], std: [0.5, 1, 2] },
    dims: [3, 2, 4],
    data: [
      ...RED.map((value) => Math.fround((value / 255 - 0.5) / 0.5)),
      ...GREEN.map((value) => Math.fround(value / 255)),
      ...BLUE.map((value) => Math.fround((value / 255 - 0.25) / 2)),
    ],
  },
  {
    what: "cover cuts the sides",
    options: { fit: "cover", width: 2, height: 2, layout: "NHWC" },
    dims: [2, 2, 3],
    data: [0, 255, 0, 0, 0, 255, 0, 0, 0, 128, 128, 128],
  },
  {
    what: "contain fills the rest with the background",
    options: { fit: "contain", width: 4, height: 4, background: "#070809" },
    dims: [3, 4, 4],
    data: [
      [7, 7, 7, 7, ...RED, 7, 7, 7, 7],
      [8, 8, 8, 8, ...GREEN, 8, 8, 8, 8],
      [9, 9, 9, 9, ...BLUE, 9, 9, 9, 9],
    ].flat(),
  },
  {
    what: "fill stretches",
    picture: HALVES,
    options: { width: 2, height: 4, channels: "BGR" },
    dims: [3, 4, 2],
    data: [0, 200, 0, 200, 0, 200, 0, 200, 0, 0, 0, 0, 0, 0, 0, 0, 200, 0, 200, 0, 200, 0, 200, 0],
  },
  {
    what: "the width follows from the height",
    picture: { width: 6, colors: Array.from({ length: 12 }, () => "0a141e") },
    options: { height: 1, layout: "NHWC" },
    dims: [1, 3, 3],
    data: [10, 20, 30, 10, 20, 30, 10, 20, 30],
  },
];

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/images.html`);
  await page.waitForFunction(() => "images" in window);
});

for (const kind of ["ImageBitmap", "VideoFrame", "OffscreenCanvas", "ImageData", "Blob"] as const) {
  test(`${kind}: the tensor has exactly its pixels, on the page and in a worker`, async ({ page }) => {
    for (const { what, picture = PICTURE, options, dims, data } of CASES) {
      const conversion = { kind, picture, options: { type: "uint8", ...options } as const };
      const expected = { type: conversion.options.type, dims, data };
      const both = await page.evaluate(
        (given) => Promise.all([window.images.convertOnPage(given), window.images.convertInWorker(given)]),
        conversion,
      );
      expect(both, what).toEqual([expected, expected]);
    }
  });
}

test("transparent pixels show the background", async ({ page }) => {
  const tensor = await page.evaluate((conversion) => window.images.convertInWorker(conversion), {
    kind: "ImageData",
    picture: { width: 2, colors: ["ff000000", "ff0000ff"] },
    options: { type: "uint8", background: "rgb(1 2 3)" },
  } as const);
  expect(tensor.data).toEqual([1, 255, 2, 0, 3, 0]);
});

test("an image leaves nothing for the next one of its size, whether or not it can be read", async ({
  page,
  elsewhere,
}) => {
  const otherOrigin = `${elsewhere.url}/picture.svg`;
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>';
  await page.route(otherOrigin, (route) => route.fulfill({ contentType: "image/svg+xml", body }));
  const [first, ...later] = await page.evaluate(async (address) => {
    const { failureOf, imageToTensor, imageDataOf, plain } = window.images;
    const foreign = new Image();
    foreign.src = address;
    await foreign.decode();
    // Half of each pixel shows through the picture and the background.
    const clear = imageDataOf({ width: 2, colors: ["ff000080", "00000000"] });
    const draw = () => plain(imageToTensor(clear, { type: "uint8", background: "rgb(0 0 255 / 0.5)" }));
    const tensors = [draw()];
    imageToTensor(imageDataOf({ width: 2, colors: ["ffffff", "ffffff"] }));
    tensors.push(draw());
    const failure = await failureOf((async () => imageToTensor(foreign))());
    if (failure?.code !== "INVALID_INPUT") throw new Error("the picture of another origin was read");
    return [...tensors, draw()];
  }, otherOrigin);
  expect(first.dims).toEqual([3, 1, 2]);
  expect(later).toEqual([first, first]);
});

test("a Blob and an ImageData of a frame have exactly their pixels", async ({ page }) => {
  const tensors = await page.evaluate(async (picture) => {
    const { imageDataOf, canvasOf, imageToTensor, plain } = window.images;
    const frame = document.body.appendChild(document.createElement("iframe"));
    const realm: typeof globalThis = Reflect.get(frame.contentWindow!, "globalThis");
    const pixels = imageDataOf(picture);
    const blob = await canvasOf(pixels).convertToBlob();
    const ofFrame = new realm.ImageData(pixels.data, pixels.width, pixels.height);
    const options = { type: "uint8" } as const;
    return [plain(imageToTensor(ofFrame, options)), plain(await imageToTensor(new realm.Blob([blob]), options))];
  }, PICTURE);
  const exact = { type: "uint8", dims: [3, 2, 4], data: [...RED, ...GREEN, ...BLUE] };
  expect(tensors).toEqual([exact, exact]);
});

test("image and canvas elements have exactly their pixels", async ({ page }) => {
  const tensors = await page.evaluate(async (picture) => {
    const { imageDataOf, canvasOf, imageToTensor, plain } = window.images;
    const pixels = imageDataOf(picture);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [pixels.width, pixels.height];
    canvas.getContext("2d")?.putImageData(pixels, 0, 0);
    const image = new Image(1, 1);
    image.src = URL.createObjectURL(await canvasOf(pixels).convertToBlob());
    await image.decode();
    return [canvas, image].map((element) => plain(imageToTensor(element, { type: "uint8" })));
  }, PICTURE);
  const exact = { type: "uint8", dims: [3, 2, 4], data: [...RED, ...GREEN, ...BLUE] };
  expect(tensors).toEqual([exact, exact]);
});

test("an image element is read whole, whatever the size of its file is", async ({ page }) => {
  const tensors = await page.evaluate(async (picture) => {
    const { canvasOf, imageDataOf, imageToTensor, plain } = window.images;
    const file = URL.createObjectURL(await canvasOf(imageDataOf(picture)).convertToBlob());
    const halves =
      '<rect width="50%" height="100%" fill="#c80000"/><rect x="50%" width="50%" height="100%" fill="#0000c8"/>';
    const svg = (attributes: string) => {
      const text = `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${halves}</svg>`;
      return `data:image/svg+xml,${encodeURIComponent(text)}`;
    };
    const sources = {
      src: file,
      half: `${file} 2x`,
      double: `${file} 0.5x`,
      svg: svg(""),
      ratio: svg('viewBox="0 0 9 9"'),
    };
    const read = async ([name, source]: [string, string]) => {
      const image = new Image();
      if (source.startsWith("data:") || name === "src") image.src = source;
      else image.srcset = source;
      await image.decode();
      return (["fill", "contain", "cover"] as const).map((fit) => {
        const { data } = plain(imageToTensor(image, { width: 4, height: 4, fit, type: "uint8" }));
        // The row in the middle, which no background covers: its red and its blue.
        return [name, fit, data.slice(8, 12), data.slice(40, 44)];
      });
    };
    return (await Promise.all(Object.entries(sources).map(read))).flat();
  }, HALVES);
  for (const [name, fit, red, blue] of tensors)
    expect([red, blue], `${String(name)}, ${String(fit)}`).toEqual([
      [200, 200, 0, 0],
      [0, 0, 200, 200],
    ]);
});

test("a video element gives its current frame", async ({ page }) => {
  const video = await page.evaluateHandle((picture) => {
    const pixels = window.images.imageDataOf(picture);
    const element = document.createElement("video");
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [pixels.width, pixels.height];
    const context = canvas.getContext("2d");
    element.muted = true;
    element.autoplay = true;
    element.srcObject = canvas.captureStream();
    document.body.append(element, canvas);
    context?.putImageData(pixels, 0, 0);
    return element;
  }, HALVES);
  const frame = () =>
    video.evaluate((element) => {
      if (element.readyState < element.HAVE_CURRENT_DATA) return null;
      const { plain, imageToTensor } = window.images;
      const { dims, data } = plain(imageToTensor(element, { width: 2, type: "uint8" }));
      // A video stores brightness and color apart, each rounded.
      return { dims, data: data.map((value) => Math.round(value / 20) * 20) };
    });
  await expect.poll(frame).toEqual({ dims: [3, 2, 2], data: [200, 0, 200, 0, 0, 0, 0, 0, 0, 200, 0, 200] });
});

test("what is no image, or has no pixels, is rejected with the fix", async ({ page, elsewhere }) => {
  const otherOrigin = `${elsewhere.url}/picture.svg`;
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>';
  await page.route(otherOrigin, (route) => route.fulfill({ contentType: "image/svg+xml", body }));
  const failures = await page.evaluate(async (address) => {
    const { failureOf, imageToTensor, canvasOf, imageDataOf } = window.images;
    const canvas = canvasOf(imageDataOf({ width: 1, colors: ["ff0000"] }));
    const closed = await createImageBitmap(canvas);
    closed.close();
    const foreign = new Image();
    foreign.src = address;
    await foreign.decode();
    const calls = {
      closed: () => imageToTensor(closed),
      "not loaded": () => imageToTensor(new Image()),
      // @ts-expect-error A string is no image.
      text: () => imageToTensor("photo.png"),
      "broken file": () => imageToTensor(new Blob(["GIF89a"], { type: "image/gif" })),
      "other origin": () => imageToTensor(foreign),
      color: () => imageToTensor(canvas, { background: "blakc" }),
      "too large": () => imageToTensor(canvas, { width: 1e6, height: 1e6 }),
      "too wide": () => imageToTensor(new ImageData(20_000, 1), { width: 2, height: 2 }),
    };
    const entries = Object.entries(calls).map(async ([what, call]) => {
      const failure = await failureOf((async () => call())());
      return [what, `${failure?.code}: ${failure?.message}`];
    });
    return Object.fromEntries(await Promise.all(entries));
  }, otherOrigin);
  const invalid = (text: string) => expect.stringContaining(`INVALID_INPUT: image: expected ${text}`);
  expect(failures).toEqual({
    closed: invalid(
      "an image with pixels, got an ImageBitmap; wait until it has loaded, and pass it before it is closed",
    ),
    "not loaded": invalid("an image with pixels, got a HTMLImageElement; wait until it has loaded"),
    text: invalid(
      "an ImageBitmap, VideoFrame, OffscreenCanvas, ImageData, image, canvas or video element, or in imageToTensor a Blob, got",
    ),
    "broken file": invalid("an image that the browser can decode, got a Blob of 6 bytes of type image/gif; pass a PNG"),
    "other origin": invalid("an image whose pixels can be read, got a HTMLImageElement; pass it before it is closed"),
    color: expect.stringContaining('INVALID_OPTION: background: expected a CSS color, got string "blakc"; pass one'),
    "too large": expect.stringContaining("expected at most 16384 pixels, got 1000000 by 1000000; pass a smaller size"),
    "too wide": expect.stringContaining("expected at most 16384 pixels, got 20000 by 1; pass a smaller size"),
  });
});
