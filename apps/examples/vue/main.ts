import { createApp } from "vue";
import App from "./App.vue";

const app = createApp(App);
app.config.errorHandler = reportError; // without it, Vue only logs them
app.mount("#app");
