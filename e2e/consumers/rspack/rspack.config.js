export default {
  devServer: { static: ".", devMiddleware: { publicPath: "/dist/" } },
};
