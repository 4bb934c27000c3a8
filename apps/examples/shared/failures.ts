// Shows what fails on this page, such as a model that cannot be loaded. The examples themselves do not catch it.
const failure = document.createElement("p");
failure.role = "alert";
document.querySelector("main")!.append(failure);

function show(error: unknown) {
  const text = error instanceof Error ? error.message : String(error);
  if (failure.textContent !== text) failure.textContent = text; // a failure of each frame is said once
}

addEventListener("error", ({ error, message }) => show(error ?? message));
addEventListener("unhandledrejection", ({ reason }) => show(reason));
