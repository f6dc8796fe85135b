use brew::Config;
