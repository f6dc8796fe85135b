namespace Harbor.Hidden;

public class Hidden { }
