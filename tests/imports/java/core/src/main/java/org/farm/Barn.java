package org.farm;

public class Barn {}
